/** Records in the format of zone files (RFC 1035 section 5), which DNS servers and many providers import. */
import type { DomainDetail, PublishedRecord } from '../../../../src/http/v1/domains/domains.wire.ts'
import { publishedValue } from './published-value.ts'

const TTL_SECONDS = 3600
/** RFC 1035 section 3.3.14: a string in a TXT record has at most 255 bytes. */
const STRING_BYTES = 255

export function toZoneFile({ name, records }: Pick<DomainDetail, 'name' | 'records'>): string {
  const merged = records.some((record) => record.purpose === 'SPF' && record.found.length > 0)
  return [
    `; DNS records of ${name}`,
    ...(merged ? ['; The SPF record replaces the one that exists; a domain can have only one.'] : []),
    ...records.map((record) => `${record.name}. ${TTL_SECONDS} IN ${record.type} ${toData(record)}`),
    '',
  ].join('\n')
}

function toData(record: PublishedRecord): string {
  const value = publishedValue(record)
  // A name without a dot at its end would be relative to the zone.
  if (record.type !== 'TXT') return value.endsWith('.') ? value : `${value}.`
  return toStrings(value)
    .map((text) => `"${text}"`)
    .join(' ')
}

/** Escaped: quotes and backslashes, and as decimal numbers all bytes that are not printable ASCII. */
function toStrings(value: string): readonly string[] {
  const bytes = [...new TextEncoder().encode(value)]
  const count = Math.max(1, Math.ceil(bytes.length / STRING_BYTES))
  return Array.from({ length: count }, (_, at) =>
    bytes
      .slice(at * STRING_BYTES, (at + 1) * STRING_BYTES)
      .map(escapeByte)
      .join(''),
  )
}

function escapeByte(byte: number): string {
  const character = String.fromCharCode(byte)
  if (character === '"' || character === '\\') return `\\${character}`
  return byte >= 0x20 && byte < 0x7f ? character : `\\${String(byte).padStart(3, '0')}`
}
