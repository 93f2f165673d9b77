/** Looks for a missing record at the names where it is often published by mistake. */
import type { DnsEvidence } from '../../dns-resolver.ts'
import type { RequiredDnsRecord } from '../../domain.ts'
import { zoneOf } from '../judging/absence.ts'
import type { Inquiry } from '../judging/inquiry.ts'
import { describeField } from '../judging/plain-words.ts'
import type { Problem } from '../judging/verdict.ts'

export interface SearchOptions {
  readonly domainName: string
  /** Names to try besides those with the zone appended twice. */
  readonly places: readonly string[]
  /** Whether a value is that of the missing record. */
  readonly isIt: (value: string) => boolean
}

/** Undefined if it was not found. */
export async function findMisplaced(
  record: RequiredDnsRecord,
  evidence: DnsEvidence,
  inquiry: Inquiry,
  { domainName, places, isIt }: SearchOptions,
): Promise<Problem | undefined> {
  const zone = zoneOf(evidence) ?? domainName
  const doubled = [...new Set([zone, domainName])].map((appended) => `${record.name}.${appended}`)
  const names = [...new Set([...doubled, ...places])].filter((name) => name !== record.name)
  const answers = await Promise.all(
    names.map(async (name) => ({ name, answer: await inquiry.resolve(name, record.type) })),
  )
  const found = answers.find(({ answer }) => answer.kind === 'records' && answer.values.some(isIt))
  if (!found) return undefined
  const field = describeField(record.name, zone)
  if (doubled.includes(found.name)) {
    const appended = found.name.slice(record.name.length + 1)
    const text =
      `The record is at ${found.name} instead of ${record.name}: your DNS provider appended ${appended} to a name ` +
      `that already ended in it. Delete that record and create it again.${field}`
    return { diagnosis: 'doubled_zone', text }
  }
  const text =
    `The ${record.purpose} record is at ${found.name} instead of ${record.name}. Create it at ${record.name}; ` +
    `at ${found.name} it has no effect and can be deleted.${field}`
  return { diagnosis: 'wrong_place', text }
}
