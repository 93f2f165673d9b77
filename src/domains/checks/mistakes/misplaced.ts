/** Looks for a missing record at the names where it is often published by mistake. */
import type { Inquiry } from '../judging/inquiry.ts'
import { describeField } from '../judging/plain-words.ts'
import type { Problem } from '../judging/verdict.ts'

export interface Place {
  readonly name: string
  /** Continues the sentence about the two names. */
  readonly remark: string
}

/**
 * Undefined if it was not found. `places`: names to try in addition to those with the zone appended twice, with a sentence about
 * the mistake if the two names do not explain it. `isIt`: whether a value is that of the missing record.
 */
export async function findMisplaced(
  inquiry: Inquiry,
  places: readonly (string | Place)[],
  isIt: (value: string) => boolean,
): Promise<Problem | undefined> {
  const { record, request, zone = request.domainName } = inquiry
  const doubled = [...new Set([zone, request.domainName])].map((appended) => `${record.name}.${appended}`)
  const remarks = new Map(
    places.map((place): [string, string] => (typeof place === 'string' ? [place, ''] : [place.name, place.remark])),
  )
  const names = [...new Set([...doubled, ...remarks.keys()])].filter((name) => name !== record.name)
  const answers = await Promise.all(names.map((name) => inquiry.resolve(name, record.type)))
  const found = names[answers.findIndex((answer) => answer.kind === 'records' && answer.values.some(isIt))]
  if (found === undefined) return undefined
  const field = describeField(record.name, zone)
  if (doubled.includes(found)) {
    const appended = found.slice(record.name.length + 1)
    const text =
      `The record is at ${found} instead of ${record.name}: your DNS provider appended ${appended} to a name ` +
      `that already ended in it. Delete that record and create it again.${field}`
    return { diagnosis: 'doubled_zone', text }
  }
  const remark = remarks.get(found) ?? ''
  const text =
    `The ${record.purpose} record is at ${found} instead of ${record.name}${remark}. Create it at ${record.name}; ` +
    `at ${found} it has no effect and can be deleted.${field}`
  return { diagnosis: 'wrong_place', text }
}
