/** Whether bounces find their way back: the return-path host is a CNAME for ours, or has our MX and an SPF record. */
import type { DnsAnswer } from '../dns-resolver.ts'
import type { RequiredDnsRecord } from '../domain.ts'
import { exchangesOf } from '../spf/spf-dns.ts'
import { checkAlias } from './alias-target.ts'
import type { CheckRequest } from './check-request.ts'
import type { Inquiry } from './inquiry.ts'
import { listSome } from './plain-words.ts'
import { judgeSpf } from './spf-policy.ts'
import { listRequiredTerms } from './spf-suggestion.ts'
import { rightRecord, type Verdict, withWarnings, wrongRecord } from './verdict.ts'

export async function checkReturnPath(
  record: RequiredDnsRecord,
  inquiry: Inquiry,
  request: CheckRequest,
): Promise<Verdict> {
  const verdict = await checkAlias(record, inquiry, request.domainName)
  if (verdict.status !== 'invalid') return withWarnings(verdict, await listHostWarnings(record, verdict, inquiry))
  return (await checkExchanges(record, inquiry, request)) ?? verdict
}

/** Undefined where there are no MX records: the CNAME is what is missing, then. */
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
    const text = `The MX records at ${name} lead to ${listSome(foreign) || 'no host'} and not to ours, so bounces do not reach us. Delete them and create the CNAME to ${value}.`
    return wrongRecord(answer.values, 'wrong_target', text)
  }
  const terms = records.filter(({ purpose }) => purpose === 'SPF').flatMap((spf) => listRequiredTerms(spf.value))
  const txt: DnsAnswer<'TXT'> = (await inquiry.examine(name, 'TXT')).answer
  const { problem, isUnknown } = await judgeSpf(name, txt, terms, inquiry)
  const actual = [...answer.values, ...(txt.kind === 'records' ? txt.values : [])]
  if (!problem) return rightRecord(actual)
  const text = `${name} has our MX record; it needs an SPF record too, or the CNAME to ${value} in place of both. ${problem.text}`
  const required = [value]
  return { status: isUnknown ? 'unknown' : 'invalid', actual, problem: { ...problem, text, required }, warnings: [] }
}

/** RFC 5321 section 5.1: a host without MX records is its own exchange. */
async function listOurExchanges(host: string, inquiry: Inquiry): Promise<readonly string[]> {
  return [host, ...exchangesOf(await inquiry.resolve(host, 'MX'))]
}

/** The customer's side is right; whether ours is, the operator should know. */
async function listHostWarnings(
  { value }: RequiredDnsRecord,
  { status }: Verdict,
  inquiry: Inquiry,
): Promise<readonly string[]> {
  if (status !== 'valid') return []
  const answers = await Promise.all((['MX', 'A', 'AAAA'] as const).map((type) => inquiry.resolve(value, type)))
  const isDead = answers.every(({ kind }) => kind === 'no_such_name' || kind === 'no_such_type')
  return isDead
    ? [`${value} has no MX record and no address, so bounces will be lost. This is for the operator to mend.`]
    : []
}
