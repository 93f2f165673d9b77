/** Addresses where a CNAME or TXT record belongs: a proxy that hides the record, or a CNAME that was flattened away. */
import type { RequiredDnsRecord } from '../domain.ts'
import type { Inquiry } from './inquiry.ts'
import { listSome } from './plain-words.ts'
import { findProxy } from './proxy-networks.ts'
import type { Problem, Verdict } from './verdict.ts'

export async function listAddresses(inquiry: Inquiry, name: string): Promise<readonly string[]> {
  const answers = await Promise.all([inquiry.resolve(name, 'A'), inquiry.resolve(name, 'AAAA')])
  return answers.flatMap((answer) => (answer.kind === 'records' ? answer.values : []))
}

/** For a TXT record that is missing, though its name exists: people delegate it by a CNAME, which a provider may hide. */
export async function findAddressProblem(
  record: RequiredDnsRecord,
  { problem }: Verdict,
  inquiry: Inquiry,
): Promise<Problem | undefined> {
  if (problem?.diagnosis !== 'no_such_type') return undefined
  const addresses = await listAddresses(inquiry, record.name)
  if (addresses.length === 0) return undefined
  return describeProxied(record, addresses) ?? describeFlattened(record, addresses)
}

/** Undefined where the addresses are not those of a known proxy. */
export function describeProxied({ name, type }: RequiredDnsRecord, addresses: readonly string[]): Problem | undefined {
  const proxy = addresses.map(findProxy).find((found) => found !== undefined)
  if (proxy === undefined) return undefined
  const text =
    `${name} answers with addresses of the proxy of ${proxy} (${listSome(addresses)}), which hides the ${type} record ` +
    'behind it. Switch the proxy off for this record: set it to "DNS only" (the grey cloud).'
  return { diagnosis: 'proxied', text }
}

export function describeFlattened({ name, type }: RequiredDnsRecord, addresses: readonly string[]): Problem {
  const text =
    `${name} answers with addresses (${listSome(addresses)}) where a ${type === 'CNAME' ? 'CNAME' : `CNAME or ${type} record`} ` +
    'belongs. If you did create a CNAME, your DNS provider publishes the addresses of its target instead ("flattening"): ' +
    `switch that off for this name; otherwise replace the address record with a ${type} record that has the required value.`
  return { diagnosis: 'flattened', text }
}
