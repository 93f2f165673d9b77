/** Host names in the form we store: ASCII, lower case, no trailing dot. */
import { domainToASCII, domainToUnicode } from 'node:url'
import { getDomain, getPublicSuffix } from 'tldts'
import { AppError } from '../lib/app-error.ts'
import { shorten } from '../lib/text/shorten.ts'
import { findConfusion } from './confusable-label.ts'

/** RFC 1035 section 2.3.4, in text form and without the final dot. */
export const NAME_LENGTH_MAX = 253
export const LABEL_LENGTH_MAX = 63
/** Longer input is refused before any work: its ASCII form would not fit either. */
const INPUT_LENGTH_MAX = 1000

/** Already in the stored form, and without Punycode, which needs closer checks: nearly every name that is looked up. */
const PLAIN = /^(?=.{1,253}$)(?!.*xn--)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/
/** ASCII characters other than letters, digits, dots and hyphens. */
const FORBIDDEN_ASCII = /[^\P{ASCII}A-Za-z0-9.-]/u
const BEYOND_ASCII = /\P{ASCII}/u

/** For names to be added. Throws AppError `invalid_request` with the reason. */
export function parseDomainName(text: string): string {
  const result = readHostName(text)
  if (result.problem !== undefined) throw refusal(text, result.problem)
  if (isPublicSuffix(result.name)) {
    throw refusal(text, 'it is a public suffix, under which others register domains; add one of those domains instead')
  }
  return result.name
}

/** For lookups: undefined if the text cannot be the name of a domain. */
export function normalizeDomainName(text: string): string | undefined {
  if (PLAIN.test(text)) return text
  return readHostName(text).name
}

type HostName =
  | { readonly name: string; readonly problem?: undefined }
  | { readonly problem: string; readonly name?: undefined }

function readHostName(text: string): HostName {
  if (text === '') return { problem: 'it is empty' }
  if (text.length > INPUT_LENGTH_MAX) return { problem: `it is longer than ${NAME_LENGTH_MAX} characters` }
  // Checked before the conversion, which would cut at "/", decode "%41" and drop line ends.
  const [forbidden] = FORBIDDEN_ASCII.exec(text) ?? []
  if (forbidden !== undefined) return { problem: `a host name cannot contain ${JSON.stringify(forbidden)}` }
  const ascii = toAscii(text)
  if (ascii === '') return { problem: 'it contains characters that are not allowed in internationalized names' }
  const name = ascii.endsWith('.') ? ascii.slice(0, -1) : ascii
  const problem = findProblem(name)
  return problem === undefined ? { name } : { problem }
}

/** Pure ASCII is only lower-cased: the conversion also rewrites numbers ("0x7f.1" to 127.0.0.1), which we refuse below. */
function toAscii(text: string): string {
  return BEYOND_ASCII.test(text) ? domainToASCII(text) : text.toLowerCase()
}

function findProblem(name: string): string | undefined {
  if (name.length > NAME_LENGTH_MAX) return `it is longer than ${NAME_LENGTH_MAX} characters`
  const labels = name.split('.')
  const isUnderAsciiTop = labels.at(-1)?.startsWith('xn--') !== true
  const [problem] = labels.flatMap((label) => findLabelProblem(label, isUnderAsciiTop) ?? [])
  if (problem !== undefined) return problem
  // No top-level domain is a number (RFC 3696 section 2), so this is an IP address or part of one.
  if (/^(?:[0-9]+|0x[0-9a-f]*)$/.test(labels.at(-1) ?? '')) return 'an IP address is not a domain name'
  if (labels.length < 2) return 'a name needs at least two labels, such as example.com'
  return undefined
}

function findLabelProblem(label: string, isUnderAsciiTop: boolean): string | undefined {
  if (label === '') return 'it has an empty label (two dots in a row, or a dot at the start or end)'
  if (label.length > LABEL_LENGTH_MAX) return `a label is longer than ${LABEL_LENGTH_MAX} characters`
  if (!/^[a-z0-9-]+$/.test(label)) return 'it contains characters that are not allowed in a host name'
  // RFC 1123 section 2.1.
  if (label.startsWith('-') || label.endsWith('-')) return `the label "${label}" starts or ends with a hyphen`
  // domainToUnicode returns invalid Punycode unchanged.
  const shown = label.startsWith('xn--') ? domainToUnicode(label) : label
  if (shown.startsWith('xn--')) return `the label "${label}" is not valid Punycode`
  const confusion = findConfusion(shown, isUnderAsciiTop)
  return confusion === undefined ? undefined : `the label "${label}" ${confusion}`
}

/**
 * Only suffixes under which registries assign names (`co.uk`). The list's private part (`github.io`, `blogspot.com`)
 * contains ordinary registered domains: their owner controls the DNS and may send mail from them.
 */
export function isPublicSuffix(name: string): boolean {
  return getPublicSuffix(name) === name
}

/** The registered domain, whose DMARC policy applies to all names below it (RFC 7489 section 3.2). */
export function organizationalDomain(name: string): string {
  // Names of records are not always names of hosts.
  return getDomain(name, { allowPrivateDomains: true, validateHostname: false }) ?? name
}

const SHOWN_MAX = 80

function refusal(text: string, problem: string): AppError {
  const shown = JSON.stringify(shorten(text, SHOWN_MAX))
  return new AppError('invalid_request', `${shown} cannot be used as a domain name: ${problem}`)
}
