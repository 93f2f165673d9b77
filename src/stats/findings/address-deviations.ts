/**
 * Failures of one sending address: more frequent than usual, and more frequent than those of the other addresses in the same hours.
 * `settle` decides whether a finding is about the address or about a provider.
 */
import { OTHER_ORIGINS } from '../../events/event.ts'
import { type Deviation, type FailureFigure, type HourCounts, sum } from './deviation.ts'
import { type Compared, examineKinds, type FoundDeviation } from './find-deviations.ts'
import type { CountedValue } from './finding.ts'
import { FAILURE_FIGURES, type KindCounts } from './kind-counts.ts'

export interface AddressDeviation extends Deviation {
  readonly figure: FailureFigure
  readonly address: string
}

/** At least this many times the share that fails of the other addresses' mail. */
const FACTOR = 2
/** Mail that the other addresses must have sent in these hours to be compared with. */
const OTHERS_MIN = 20
/** Part of the unusual failures that is enough to explain them. */
const MOST = 0.8

/** Worst first. `allMail`: with the mail whose address is not known. */
export async function findAddressDeviations(
  compared: Compared,
  allMail: KindCounts,
): Promise<readonly AddressDeviation[]> {
  const found: AddressDeviation[] = []
  for await (const { kind, deviation } of examineKinds(compared, allMail)) {
    const { figure, group: address } = kind
    const isAddress = address !== '' && address !== OTHER_ORIGINS
    if (deviation && isAddress) found.push({ ...deviation, figure, address })
  }
  const standing = FAILURE_FIGURES.flatMap((figure) => {
    const ofFigure = found.filter((deviation) => deviation.figure === figure)
    const others = subtract(compared.now, figure, ofFigure)
    return ofFigure.filter((deviation) => standsOut(deviation, others))
  })
  return standing.sort((a, b) => b.score - a.score)
}

/** The addresses that do not deviate: two that are listed at the same time must not make each other look ordinary. */
function subtract(now: KindCounts, figure: FailureFigure, found: readonly AddressDeviation[]): HourCounts {
  const { counts, wholes } = now.ofAll(figure)
  const parts = found.map(({ address }) => now.of({ figure, group: address, classification: '' }))
  const without = (all: readonly number[], of: (part: HourCounts) => readonly number[]) =>
    all.map((count, at) => count - sum(parts.map((part) => of(part)[at] ?? 0)))
  return { counts: without(counts, (part) => part.counts), wholes: without(wholes, (part) => part.wholes) }
}

/** A bad recipient list or an outage of a provider makes all addresses fail alike: then the address is not the cause. */
function standsOut({ first, last, shareOfGroup }: AddressDeviation, others: HourCounts): boolean {
  const mail = sum(others.wholes.slice(first, last + 1))
  return mail >= OTHERS_MIN && shareOfGroup >= (FACTOR * sum(others.counts.slice(first, last + 1))) / mail
}

/** An address that deviates, and its failures by provider in these hours. */
export interface SpreadDeviation extends AddressDeviation {
  readonly byProvider: readonly CountedValue[]
}

/**
 * Deviations of providers and addresses without those that others explain, worst first. Events have one provider and one address, so a
 * blocked address is counted twice: at each provider that blocks it, and of the address.
 *
 * - The address explains several providers, if most of what is unusual there was sent from it: one finding about the address,
 *   because that is what has to be mended, instead of one for each provider.
 * - Otherwise, if providers that deviate have most of the address's failures, the address says nothing new: the findings about the
 *   providers list it. This includes a single provider that blocks a single address, because a provider's finding has the class as well.
 * - An address whose failures are too few to be noticed at any provider is a finding of its own.
 */
export function settle(
  providers: readonly FoundDeviation[],
  addresses: readonly SpreadDeviation[],
): readonly FoundDeviation[] {
  let left = providers
  const ofAddresses: FoundDeviation[] = []
  for (const { byProvider, ...deviation } of addresses) {
    const meeting = left.filter((other) => other.figure === deviation.figure && overlap(other, deviation))
    const explained = findExplained(meeting, byProvider, excessOf(deviation) / deviation.count)
    const isOfSeveral = explained.some(({ provider }) => provider === undefined) || countProviders(explained) > 1
    if (!isOfSeveral && isCovered(byProvider, meeting)) continue
    left = left.filter((other) => !explained.includes(other))
    const [only] = byProvider
    const isOfOne = only !== undefined && byProvider.length === 1
    ofAddresses.push({
      ...deviation,
      classification: undefined,
      ...(isOfOne ? { provider: only.value } : { provider: undefined, providers: byProvider.length }),
    })
  }
  return [...left, ...ofAddresses].sort((a, b) => b.score - a.score)
}

/**
 * Counts by address have no class. So an address explains the worst class of a provider first, with no more failures than it has there;
 * an independent trouble at the same provider and time remains.
 */
function findExplained(
  meeting: readonly FoundDeviation[],
  byProvider: readonly CountedValue[],
  part: number,
): readonly FoundDeviation[] {
  const left = new Map(byProvider.map(({ value, count }) => [value, count * part]))
  const named = meeting.filter(({ provider }) => provider !== undefined)
  const explained: FoundDeviation[] = []
  for (const other of [...named, ...meeting.filter(({ provider }) => provider === undefined)]) {
    const { provider } = other
    const available = provider === undefined ? sum([...left.values()]) : (left.get(provider) ?? 0)
    const excess = excessOf(other)
    if (available < MOST * excess) continue
    explained.push(other)
    if (provider === undefined) left.clear()
    else left.set(provider, Math.max(0, available - excess))
  }
  return explained
}

/** Whether most of the failures are at providers that deviate anyway. */
function isCovered(byProvider: readonly CountedValue[], meeting: readonly FoundDeviation[]): boolean {
  const names = new Set(meeting.map(({ provider }) => provider))
  const covered = byProvider.filter(({ value }) => names.has(value) || names.has(undefined))
  const countOf = (values: readonly CountedValue[]) => sum(values.map(({ count }) => count))
  return countOf(covered) >= MOST * countOf(byProvider)
}

function countProviders(deviations: readonly FoundDeviation[]): number {
  return new Set(deviations.map(({ provider }) => provider)).size
}

function excessOf({ count, usual }: Deviation): number {
  return count - usual
}

function overlap(a: Deviation, b: Deviation): boolean {
  return a.first <= b.last && b.first <= a.last
}
