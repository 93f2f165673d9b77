/** Whether a domain's SPF record lets our addresses send (RFC 7208). Looks at the record itself, not at what it includes. */
import type { TxtAnswer } from './dns-resolver.ts'
import type { RequiredDnsRecord } from './domain.ts'
import { invalidRecord, type RecordOutcome, readValues, validRecord } from './record-outcome.ts'

export function checkSpf(record: RequiredDnsRecord, answer: TxtAnswer): RecordOutcome {
  const read = readValues(record, answer)
  if ('outcome' in read) return read.outcome
  const { values } = read
  const [spf, ...others] = values.filter(isSpf)
  if (spf === undefined) {
    const error =
      `None of the TXT records at ${record.name} is an SPF record. Add one with the required value; ` +
      'the other TXT records there can stay.'
    return invalidRecord(record, values, error)
  }
  if (others.length > 0) {
    const error =
      `There are ${others.length + 1} SPF records at ${record.name}, which makes receivers ignore all of them. ` +
      'Merge them into one: a single v=spf1 with the terms of all, and delete the rest.'
    return invalidRecord(record, values, error)
  }
  return checkInclude(record, values, spf)
}

/** Section 4.5: the version is followed by a space or the end, in any letter case; other TXT records do not count. */
function isSpf(value: string): boolean {
  return /^v=spf1(?: |$)/i.test(value)
}

function checkInclude(record: RequiredDnsRecord, values: readonly string[], spf: string): RecordOutcome {
  const wanted = splitTerms(record.value).find(isInclude)
  const host = wanted === undefined ? '' : includedHost(wanted)
  const terms = splitTerms(spf)
  const includes = terms.filter((term) => isInclude(term) && includedHost(term) === host)
  const passing = includes.filter((term) => /^[+i]/i.test(term))
  // Section 5.1: what stands behind "all" is never looked at.
  const all = terms.findIndex((term) => /^[+\-~?]?all$/i.test(term))
  const isEffective = passing.some((term) => all < 0 || terms.indexOf(term) < all)
  if (isEffective) return validRecord(values)
  return invalidRecord(record, values, explain(record.name, host, includes, passing), withInclude(terms, host))
}

function explain(name: string, host: string, includes: readonly string[], passing: readonly string[]): string {
  const remedy = 'Replace the SPF record with the required value.'
  if (passing.length > 0) {
    return `In the SPF record at ${name}, include:${host} stands behind "all" and is never reached. Move it before "all". ${remedy}`
  }
  const [limited] = includes
  if (limited !== undefined) {
    return `The SPF record at ${name} says ${limited}, which does not let our mail pass. Write include:${host} instead. ${remedy}`
  }
  return `The SPF record at ${name} does not hold include:${host}. Add it before "all". ${remedy}`
}

/** The record that is there with the include where it takes effect: before `all`, or before what comes after all mechanisms. */
function withInclude(terms: readonly string[], host: string): string {
  const kept = terms.filter((term) => !(isInclude(term) && includedHost(term) === host))
  const end = kept.findIndex((term) => /^(?:[+\-~?]?all$|redirect=|exp=)/i.test(term))
  return ['v=spf1', ...kept.toSpliced(end < 0 ? kept.length : end, 0, `include:${host}`)].join(' ')
}

/** Without the version. Section 4.6.1: terms are separated by one space or more. */
function splitTerms(spf: string): readonly string[] {
  return spf
    .split(' ')
    .filter((term) => term !== '')
    .slice(1)
}

function isInclude(term: string): boolean {
  return /^[+\-~?]?include:/i.test(term)
}

function includedHost(include: string): string {
  return include
    .slice(include.indexOf(':') + 1)
    .toLowerCase()
    .replace(/\.$/, '')
}
