/** DNS for tests: a zone as a literal, and what was asked of it. */
import assert from 'node:assert/strict'
import { checkHost, identityOf } from './check-host.ts'
import { readIpAddress } from './ip-address.ts'
import type { SpfDns, SpfDnsAnswer, SpfRecordType } from './spf-dns.ts'
import type { SpfVerdict } from './spf-verdict.ts'

export const TIMEOUT = Symbol('timeout')
export const ALIAS_LOOP = Symbol('alias loop')

/** One record or several; a record of several strings as an array of them. */
export type ZoneRecords = string | readonly (string | readonly string[])[] | typeof TIMEOUT | typeof ALIAS_LOOP

export type Zone = Readonly<Record<string, Readonly<Partial<Record<SpfRecordType, ZoneRecords>>>>>

export interface ZoneDns {
  readonly dns: SpfDns
  /** `TYPE name`, in the order of asking. */
  readonly asked: string[]
}

/** Letter case is ignored, as DNS does. A name that is not in the zone does not exist. */
export function openZone(zone: Zone): ZoneDns {
  const names = new Map(Object.entries(zone).map(([name, records]) => [name.toLowerCase(), records]))
  const asked: string[] = []
  const dns: SpfDns = (name, type) => {
    asked.push(`${type} ${name.toLowerCase()}`)
    const records = names.get(name.toLowerCase())
    return Promise.resolve(records === undefined ? { kind: 'no_such_name' } : answer(records[type]))
  }
  return { dns, asked }
}

function answer(records: ZoneRecords | undefined): SpfDnsAnswer {
  if (records === undefined) return { kind: 'no_such_type' }
  if (records === TIMEOUT) return { kind: 'unreachable', reason: 'no answer in time' }
  if (records === ALIAS_LOOP) return { kind: 'alias_loop', reason: 'x.test is an alias of itself' }
  if (typeof records === 'string') return { kind: 'records', values: [records] }
  return { kind: 'records', values: records.map((strings) => [strings].flat().join('')) }
}

export interface Circumstances {
  readonly ip?: string
  readonly mailFrom?: string
  readonly helo?: string
}

/** The verdict on mail that comes from 192.0.2.1 as user@example.test, unless told otherwise. */
export async function judge(
  zone: Zone,
  { ip = '192.0.2.1', mailFrom = 'user@example.test', helo = 'mail.helo.test' }: Circumstances = {},
): Promise<SpfVerdict & { readonly asked: readonly string[] }> {
  const address = readIpAddress(ip)
  assert.ok(address, `${ip} is no address`)
  const { dns, asked } = openZone(zone)
  const question = {
    ip: address,
    ...identityOf(mailFrom, helo),
    helo,
    receiver: 'mx.here.test',
    timeMs: 1_700_000_000_999,
  }
  return { ...(await checkHost(question, dns)), asked }
}
