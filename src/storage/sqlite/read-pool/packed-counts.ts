/** Counts of many domains on their way between threads: copying one array of numbers is faster than copying objects. */
import type { DomainCounts } from '../../../stats/domain-counts.ts'

/** For each domain its number, then the members of DomainCounts. */
export type PackedCounts = Float64Array

const MEMBERS = 5
type Members = readonly [domain: number, bounce: number, delivery: number, reception: number, changedAtMs: number]

export function packCounts(counts: ReadonlyMap<number, DomainCounts>): PackedCounts {
  const packed = new Float64Array(counts.size * MEMBERS)
  let at = 0
  for (const [domain, { bounce, delivery, reception, changedAtMs }] of counts) {
    packed.set([domain, bounce, delivery, reception, changedAtMs], at)
    at += MEMBERS
  }
  return packed
}

export function unpackCounts(packed: PackedCounts): ReadonlyMap<number, DomainCounts> {
  const counts = new Map<number, DomainCounts>()
  for (let at = 0; at < packed.length; at += MEMBERS) {
    const members = packed.subarray(at, at + MEMBERS) as unknown as Members
    const [domain, bounce, delivery, reception, changedAtMs] = members
    counts.set(domain, { bounce, delivery, reception, changedAtMs })
  }
  return counts
}
