/** Whether a mechanism of SPF matches the client (RFC 7208 section 5); all but `include`, which evaluates another policy. */
import { type Evaluation, EvaluationStop, requireValues, type TermInPlace } from './evaluation.ts'
import { expandTarget } from './expand-target.ts'
import { isInNetwork, readIpAddress } from './ip-address.ts'
import { exchangesOf } from './spf-dns.ts'
import type { SpfAddressMechanism, SpfExists, SpfInclude, SpfMechanism, SpfPtr } from './spf-term.ts'
import { NAMES_MAX } from './spf-verdict.ts'
import { isWithin, listValidatedNames } from './validated-names.ts'

export async function matchMechanism(
  evaluation: Evaluation,
  domain: string,
  term: Exclude<SpfMechanism, SpfInclude>,
): Promise<boolean> {
  switch (term.kind) {
    case 'all':
      return true
    case 'ip4':
    case 'ip6':
      return isInNetwork(evaluation.ip, term.network)
    case 'a':
    case 'mx':
    case 'ptr':
    case 'exists':
      return matchByAsking(evaluation, { domain, term }, term)
  }
}

async function matchByAsking(
  evaluation: Evaluation,
  place: TermInPlace,
  term: SpfAddressMechanism | SpfPtr | SpfExists,
): Promise<boolean> {
  evaluation.countLookup(place)
  const target = await expandTarget(evaluation, place, term.domainSpec)
  // Section 4.8 leaves open what a malformed target means; as a name that cannot exist it matches nothing.
  if (target.kind !== 'name') return false
  const { name } = target
  switch (term.kind) {
    case 'a':
      return matchAddresses(evaluation, term, await askValues(evaluation, place, name, evaluation.addressType))
    case 'mx':
      return matchExchanges(evaluation, place, term, name)
    case 'ptr':
      return (await listValidatedNames(evaluation, place)).some((validated) => isWithin(validated, name))
    case 'exists':
      // Section 5.7: A records, also for a client that speaks IPv6.
      return (await askValues(evaluation, place, name, 'A')).length > 0
  }
}

/** Section 5.4. The addresses of the exchanges are asked for under the limit of this `mx` and no other. */
async function matchExchanges(
  evaluation: Evaluation,
  place: TermInPlace,
  term: SpfAddressMechanism,
  name: string,
): Promise<boolean> {
  const answer = await evaluation.askFor(place, name, 'MX')
  requireValues(name, answer)
  for (const [index, exchange] of exchangesOf(answer).entries()) {
    if (index >= NAMES_MAX) {
      throw new EvaluationStop('permerror', { kind: 'too_many_exchanges', domain: place.domain, term: term.text })
    }
    const addresses = requireValues(exchange, await evaluation.ask(exchange, evaluation.addressType))
    if (matchAddresses(evaluation, term, addresses)) return true
  }
  return false
}

function matchAddresses({ ip }: Evaluation, term: SpfAddressMechanism, addresses: readonly string[]): boolean {
  const prefixLength = ip.family === 4 ? term.prefixLength4 : term.prefixLength6
  return addresses
    .map(readIpAddress)
    .some((address) => address !== undefined && isInNetwork(ip, { address, prefixLength }))
}

async function askValues(
  evaluation: Evaluation,
  place: TermInPlace,
  name: string,
  type: 'A' | 'AAAA',
): Promise<readonly string[]> {
  return requireValues(name, await evaluation.askFor(place, name, type))
}
