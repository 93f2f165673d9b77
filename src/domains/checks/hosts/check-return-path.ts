/** Checks whether bounces reach us: the return-path host is a CNAME for ours, or has our MX and an SPF record. */
import { exchangesOf } from '../../spf/tree/spf-dns.ts'
import type { Inquiry } from '../judging/inquiry.ts'
import { listSome } from '../judging/plain-words.ts'
import { faultyRecord, rightRecord, type Verdict, withWarnings, wrongRecord } from '../judging/verdict.ts'
import { judgeSpf } from '../spf/spf-policy.ts'
import { listRequiredTerms } from '../spf/spf-suggestion.ts'
import { checkAlias } from './alias-target.ts'

export async function checkReturnPath(inquiry: Inquiry): Promise<Verdict> {
  const verdict = await checkAlias(inquiry)
  if (verdict.status === 'valid') return withWarnings(verdict, await listHostWarnings(inquiry))
  return verdict.status === 'unknown' ? verdict : ((await checkExchanges(inquiry)) ?? verdict)
}

/** Undefined if there are no MX records: then the CNAME is missing. */
async function checkExchanges(inquiry: Inquiry): Promise<Verdict | undefined> {
  const { name, value } = inquiry.record
  const [{ answer }, ours] = await Promise.all([inquiry.examine(name, 'MX'), listOurExchanges(value, inquiry)])
  if (answer.kind !== 'records') return undefined
  const foreign = exchangesOf(answer).filter((exchange) => !ours.includes(exchange))
  if (foreign.length > 0 || exchangesOf(answer).length === 0) {
    const text = `The MX records at ${name} point to ${listSome(foreign) || 'no host'} instead of our hosts, so bounces do not reach us. Delete them and create a CNAME to ${value}.`
    return wrongRecord(answer.values, 'wrong_target', text)
  }
  const spf = inquiry.request.records.filter(({ purpose }) => purpose === 'SPF')
  const { answer: txt } = await inquiry.examine(name, 'TXT')
  const terms = spf.flatMap((record) => listRequiredTerms(record.value))
  const { problem, isUnknown } = await judgeSpf(name, txt, terms, inquiry)
  const actual = [...answer.values, ...(txt.kind === 'records' ? txt.values : [])]
  if (!problem) return rightRecord(actual)
  const text = `${name} has our MX record but also needs an SPF record, or a CNAME to ${value} instead of both. ${problem.text}`
  return faultyRecord(actual, { ...problem, text, required: [value] }, isUnknown)
}

/** RFC 5321 section 5.1: a host without MX records is its own exchange. */
async function listOurExchanges(host: string, inquiry: Inquiry): Promise<readonly string[]> {
  return [host, ...exchangesOf(await inquiry.resolve(host, 'MX'))]
}

/** The customer's record is correct, but the operator's host may not be. */
async function listHostWarnings(inquiry: Inquiry): Promise<readonly string[]> {
  const { value } = inquiry.record
  const answers = await Promise.all((['MX', 'A', 'AAAA'] as const).map((type) => inquiry.resolve(value, type)))
  const isDead = answers.every(({ kind }) => kind === 'no_such_name' || kind === 'no_such_type')
  return isDead
    ? [`${value} has no MX record and no address, so bounces will be lost. The operator of this service must fix this.`]
    : []
}
