/** The SPF record that somebody should publish: the one that is there, with what is required put where it takes effect. */
import { isSpfRecord, readSpfRecord } from '../spf/spf-record.ts'

/** `terms`: what is required, as written in a record; `whole`: the record for a domain that has none. */
export function suggestSpf(values: readonly string[], terms: readonly string[], whole: string): string {
  const records = values.filter(isSpfRecord)
  if (records.length === 0) return whole
  const present = records.flatMap(splitTerms)
  const own = present.filter((term) => !isOneOf(term, terms) && !isLast(term))
  const kept = [...new Map(own.map((term) => [term.toLowerCase(), term])).values()]
  return ['v=spf1', ...kept, ...terms, ...chooseEnd(present)].join(' ')
}

/** The required terms of a record of ours. */
export function listRequiredTerms(value: string): readonly string[] {
  return readSpfRecord(value)
    .terms.filter(({ kind }) => kind === 'include' || kind === 'ip4' || kind === 'ip6')
    .map(({ text }) => text)
}

/** RFC 7208 section 4.6.1: one space or more. Without the version. */
function splitTerms(record: string): readonly string[] {
  return record
    .split(' ')
    .filter((term) => term !== '')
    .slice(1)
}

function isOneOf(term: string, terms: readonly string[]): boolean {
  const plain = (text: string) =>
    text
      .toLowerCase()
      .replace(/^[+\-~?]/, '')
      .replace(/\.$/, '')
  return terms.some((required) => plain(required) === plain(term))
}

const ALL = /^[+\-~?]?all$/i

function isLast(term: string): boolean {
  return ALL.test(term) || /^redirect=/i.test(term) || /^exp=/i.test(term)
}

/** Sections 5.1 and 6.1: one `all`, the mildest of those that differ; a redirect only without any. */
function chooseEnd(terms: readonly string[]): readonly string[] {
  const alls = [...new Set(terms.filter((term) => ALL.test(term)))]
  const [first] = alls
  const explanation = terms.filter((term) => /^exp=/i.test(term)).slice(0, 1)
  if (first === undefined) return [...terms.filter((term) => /^redirect=/i.test(term)).slice(0, 1), ...explanation]
  return [alls.length === 1 ? first : '~all', ...explanation]
}
