/** The names that a client's address leads to and that lead back to it (RFC 7208 section 5.5). */
import type { Evaluation, TermInPlace } from './evaluation.ts'
import { isSameAddress, readIpAddress, reverseNameOf } from './ip-address.ts'
import { valuesOf } from './spf-dns.ts'
import { NAMES_MAX } from './spf-verdict.ts'
import { toDomainName } from './target-name.ts'

/**
 * In the order of the answer. Whoever owns the address decides what is there, so neither an error nor more names than
 * allowed is the domain's fault: errors are skipped, and so are the names beyond the limit (section 4.6.4).
 * `place`: the term for which it counts; none for an explanation, which is no part of the evaluation.
 */
export async function listValidatedNames(evaluation: Evaluation, place?: TermInPlace): Promise<readonly string[]> {
  const reverseName = reverseNameOf(evaluation.ip)
  const answer = await (place === undefined
    ? evaluation.ask(reverseName, 'PTR')
    : evaluation.askFor(place, reverseName, 'PTR'))
  const names = valuesOf(answer)
    .slice(0, NAMES_MAX)
    .map(toDomainName)
    .filter((name) => name !== undefined)
  const answers = await Promise.all(names.map((name) => evaluation.ask(name, evaluation.addressType)))
  return names.filter((_, index) => {
    const addresses = valuesOf(answers[index] ?? { kind: 'no_such_name' }).map(readIpAddress)
    return addresses.some((address) => address !== undefined && isSameAddress(address, evaluation.ip))
  })
}

/** Section 7.3, macro p: the domain itself if it is among the names, else a subdomain of it, else any. */
export function chooseValidatedName(names: readonly string[], domain: string): string {
  const isDomain = (name: string) => name.toLowerCase() === domain.toLowerCase()
  return names.find(isDomain) ?? names.find((name) => isWithin(name, domain)) ?? names[0] ?? 'unknown'
}

/** The domain itself or a subdomain of it. */
export function isWithin(name: string, domain: string): boolean {
  return `.${name.toLowerCase()}`.endsWith(`.${domain.toLowerCase()}`)
}
