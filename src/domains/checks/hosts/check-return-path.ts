/** Checks whether bounces reach us: the return-path host is a CNAME for ours, or has our MX and an SPF record. */
import type { DnsAnswer } from '../../dns-resolver.ts'
import type { RequiredDnsRecord } from '../../domain.ts'
import { exchangesOf } from '../../spf/tree/spf-dns.ts'
import type { CheckRequest } from '../judging/check-request.ts'
import type { Inquiry } from '../judging/inquiry.ts'
import { listSome } from '../judging/plain-words.ts'
import { rightRecord, type Verdict, withWarnings, wrongRecord } from '../judging/verdict.ts'
import { judgeSpf } from '../spf/spf-policy.ts'
import { listRequiredTerms } from '../spf/spf-suggestion.ts'
import { checkAlias } from './alias-target.ts'

export async function checkReturnPath(
  record: RequiredDnsRecord,
  inquiry: Inquiry,
  request: CheckRequest,
): Promise<Verdict> {
  const verdict = await checkAlias(record, inquiry, request.domainName)
  if (verdict.status !== 'invalid') return withWarnings(verdict, await listHostWarnings(record, verdict, inquiry))
  return (await checkExchanges(record, inquiry, request)) ?? verdict
}

/** Undefined if there are no MX records: then the CNAME is missing. */
async function checkExchanges(
  record: RequiredDnsRecord,
  inquiry: Inquiry,
  { records }: CheckRequest,
): Promise<Verdict | undefined> {
  const { name, value } = record
  const [{ answer }, ours] = await Promise.all([inquiry.examine(name, 'MX'), listOurExchanges(value, inquiry)])
  if (answer.kind !== 'records') return undefined
  const foreign = exchangesOf(answer).filter((exchange) => !ours.includes(exchange))
  if (foreign.length > 0 || exchangesOf(answer).length === 0) {
    const text = `The MX records at ${name} point to ${listSome(foreign) || 'no host'} instead of our hosts, so bounces do not reach us. Delete them and create a CNAME to ${value}.`
    return wrongRecord(answer.values, 'wrong_target', text)
  }
  const terms = records.filter(({ purpose }) => purpose === 'SPF').flatMap((spf) => listRequiredTerms(spf.value))
  const txt: DnsAnswer<'TXT'> = (await inquiry.examine(name, 'TXT')).answer
  const { problem, isUnknown } = await judgeSpf(name, txt, terms, inquiry)
  const actual = [...answer.values, ...(txt.kind === 'records' ? txt.values : [])]
  if (!problem) return rightRecord(actual)
  const text = `${name} has our MX record but also needs an SPF record, or a CNAME to ${value} instead of both. ${problem.text}`
  const required = [value]
  return { status: isUnknown ? 'unknown' : 'invalid', actual, problem: { ...problem, text, required }, warnings: [] }
}

/** RFC 5321 section 5.1: a host without MX records is its own exchange. */
async function listOurExchanges(host: string, inquiry: Inquiry): Promise<readonly string[]> {
  return [host, ...exchangesOf(await inquiry.resolve(host, 'MX'))]
}

/** The customer's record is correct, but the operator's host may not be. */
async function listHostWarnings(
  { value }: RequiredDnsRecord,
  { status }: Verdict,
  inquiry: Inquiry,
): Promise<readonly string[]> {
  if (status !== 'valid') return []
  const answers = await Promise.all((['MX', 'A', 'AAAA'] as const).map((type) => inquiry.resolve(value, type)))
  const isDead = answers.every(({ kind }) => kind === 'no_such_name' || kind === 'no_such_type')
  return isDead
    ? [`${value} has no MX record and no address, so bounces will be lost. The operator of this service must fix this.`]
    : []
}
