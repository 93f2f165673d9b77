/** Publishes required records in a zone, as the owner of a domain would. */
import type { Zone } from './dns-server.ts'

export interface PublishedRecord {
  readonly type?: string
  readonly name: string
  readonly value: string
}

/** TXT unless the type is CNAME or MX. Other records of the same name stay. */
export function publishRecords(zone: Zone, records: readonly PublishedRecord[]): void {
  for (const { name, type, value } of records) {
    const present = zone[name]
    zone[name] = { ...(typeof present === 'object' && present), ...toRecord(type, value) }
  }
}

function toRecord(type: string | undefined, value: string) {
  if (type === 'CNAME') return { cname: value }
  if (type !== 'MX') return { txt: [value.match(/.{1,255}/gs) ?? []] }
  const [preference, exchange = ''] = value.split(' ')
  return { mx: [{ preference: Number(preference), exchange }] }
}
