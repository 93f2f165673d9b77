/** Addresses where a CNAME or TXT record is expected: a proxy that hides the record, or a flattened CNAME. */
import type { RequiredDnsRecord } from '../../domain.ts'
import type { Inquiry } from '../judging/inquiry.ts'
import { listSome } from '../judging/plain-words.ts'
import type { Problem, Verdict } from '../judging/verdict.ts'
import { findProxy } from './proxy-networks.ts'

export async function listAddresses(inquiry: Inquiry, name: string): Promise<readonly string[]> {
  const answers = await Promise.all([inquiry.resolve(name, 'A'), inquiry.resolve(name, 'AAAA')])
  return answers.flatMap((answer) => (answer.kind === 'records' ? answer.values : []))
}

/** For a missing TXT record whose name exists: it may be delegated by a CNAME that the provider hides. */
export async function findAddressProblem(inquiry: Inquiry, { problem }: Verdict): Promise<Problem | undefined> {
  if (problem?.diagnosis !== 'no_such_type') return undefined
  const { record } = inquiry
  const addresses = await listAddresses(inquiry, record.name)
  if (addresses.length === 0) return undefined
  return describeProxied(record, addresses) ?? describeFlattened(record, addresses)
}

/** Undefined if the addresses do not belong to a known proxy. */
export function describeProxied({ name, type }: RequiredDnsRecord, addresses: readonly string[]): Problem | undefined {
  const proxy = addresses.map(findProxy).find((found) => found !== undefined)
  if (proxy === undefined) return undefined
  const text =
    `${name} resolves to addresses of the ${proxy} proxy (${listSome(addresses)}), which hides the ${type} record. ` +
    'Turn the proxy off for this record: set it to "DNS only" (grey cloud).'
  return { diagnosis: 'proxied', text }
}

export function describeFlattened({ name, type }: RequiredDnsRecord, addresses: readonly string[]): Problem {
  const text =
    `${name} resolves to addresses (${listSome(addresses)}) where a ${type === 'CNAME' ? 'CNAME' : `CNAME or ${type} record`} ` +
    'is expected. If you did create a CNAME, your DNS provider publishes the addresses of its target instead ("CNAME ' +
    `flattening"): turn that off for this name. Otherwise replace the address record with a ${type} record that has the required value.`
  return { diagnosis: 'flattened', text }
}
