/** Suggests an SPF record to publish: the existing one, with the required terms where they take effect. */
import { splitJoined } from '../../spf/syntax/joined-terms.ts'
import { isSpfRecord, readSpfRecord } from '../../spf/syntax/spf-record.ts'

/** Do not remove more faulty terms than this: their owner has to decide. */
const FAULTS_MAX = 4

/** For all records together. A longer record cannot work, because of the limits on lookups and size (RFC 7208 3.4). */
const LENGTH_MAX = 4000

export interface SpfAttempt {
  /** The record lets our mail pass. */
  readonly isRight: boolean
  /** The term that makes receivers stop, as published. */
  readonly faultyTerm?: string
}

/** The required terms of one of our own records. */
export function listRequiredTerms(value: string): readonly string[] {
  return readSpfRecord(value)
    .terms.filter(({ kind }) => kind === 'include' || kind === 'ip4' || kind === 'ip6')
    .map(({ text }) => text)
}

/**
 * `required`: terms of a record; `whole`: the record for a domain that has none; `attempt` judges a record. Required
 * terms go after the other mechanisms, or before them if receivers would not get that far. Terms that make receivers
 * stop are corrected or removed.
 */
export async function suggestSpf(
  values: readonly string[],
  required: readonly string[],
  whole: string,
  attempt: (record: string) => Promise<SpfAttempt>,
): Promise<string> {
  const records = values.filter(isSpfRecord)
  const isTooLong = records.reduce((length, record) => length + record.length, 0) > LENGTH_MAX
  if (records.length === 0 || isTooLong) return whole
  const present = records.flatMap(splitTerms)
  const own = present.filter((term) => !required.map(plain).includes(plain(term)) && !LAST.test(term))
  const end = chooseEnd(present)
  let kept = [...new Map(own.map((term) => [term.toLowerCase(), term])).values()]
  for (let faults = 0; faults <= FAULTS_MAX; faults++) {
    const last = ['v=spf1', ...kept, ...required, ...end].join(' ')
    const { isRight, faultyTerm } = await attempt(last)
    if (isRight) return last
    if (faultyTerm === undefined || !kept.includes(faultyTerm)) {
      const first = ['v=spf1', ...required, ...kept, ...end].join(' ')
      return (await attempt(first)).isRight ? first : whole
    }
    kept = kept.flatMap((term) => (term === faultyTerm ? correctTerm(term) : [term]))
  }
  return whole
}

/** Corrects common misspellings; otherwise removes the term. */
function correctTerm(term: string): readonly string[] {
  const corrected = term
    .replace(/^([+\-~?]?)ipv([46])[:=]/i, '$1ip$2:')
    .replace(/^([+\-~?]?)ip:(?=[0-9.]+)/i, '$1ip4:')
    .replace(/^([+\-~?]?)includes?[:=]/i, '$1include:')
  const plainTerm = withoutEnd(corrected, [';', ','])
  return plainTerm === term || plainTerm === '' ? [] : [plainTerm]
}

/** In one pass: the regular expression `[;,]+$` takes quadratic time on a long run of them in the middle. */
function withoutEnd(text: string, signs: readonly (string | undefined)[]): string {
  let end = text.length
  while (signs.includes(text[end - 1])) end--
  return text.slice(0, end)
}

/** Without the version. RFC 7208 4.6.1: terms are separated by one or more spaces. */
function splitTerms(record: string): readonly string[] {
  const terms = record.replace(GAP, '$1').match(/[^ ]+/g) ?? []
  return terms.flatMap(separateTerms)
}

/** A space within a term: `include: spf.example`. */
const GAP = /( [+\-?~]?(?:include|exists|ip4|ip6):) +(?=[^ +\-?~]*[.:])/gi

/** Separates joined terms, and corrects what can only be meant in one way. */
function separateTerms(term: string): readonly string[] {
  const ended = withoutEnd(term, [';', ',', '.'])
  const plainTerm = ALL.test(ended) ? ended : withoutAddress(term)
  const terms = splitJoined(plainTerm) ?? [plainTerm]
  return terms.filter((one) => !/^v=spf1$/i.test(one))
}

/** `include:https://spf.example/`, and a network whose prefix length is missing. */
function withoutAddress(term: string): string {
  return term.replace(/^([+\-?~]?include:)https?:\/\/([^/]+)\/?$/i, '$1$2').replace(/^([+\-?~]?ip[46]:[^/]+)\/$/i, '$1')
}

function plain(term: string): string {
  const written = term.toLowerCase().replace('=', ':')
  return written.replace(/^[+\-~?]/, '').replace(/\.$/, '')
}

const ALL = /^[+\-~?]?all$/i
/** The terms at the end of a record. */
const LAST = /^(?:[+\-~?]?all$|redirect=|exp=)/i

/** RFC 7208 5.1 and 6.1: one `all`, `~all` if several differ; a redirect only without `all`. */
function chooseEnd(terms: readonly string[]): readonly string[] {
  const alls = [...new Set(terms.filter((term) => ALL.test(term)))]
  const [first] = alls
  const explanation = terms.filter((term) => /^exp=/i.test(term)).slice(0, 1)
  if (first === undefined) return [...terms.filter((term) => /^redirect=/i.test(term)).slice(0, 1), ...explanation]
  return [alls.length === 1 ? first : '~all', ...explanation]
}
