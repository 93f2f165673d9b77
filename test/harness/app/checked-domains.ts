/** Domains of one tenant in a temporary folder, with simulated DNS and time, for tests of checks. */
import type { Domain, DomainFlags } from '../../../src/domains/domain.ts'
import { requiredRecords } from '../../../src/domains/records/required-records.ts'
import type { Storage } from '../../../src/storage/storage.ts'
import { createTenant } from '../../../src/tenants/create-tenant.ts'
import { openTestStorage } from '../storage/sqlite-storage.ts'
import { sampleDomain } from './sample-domain.ts'
import { createToldDns, type ToldDns, type TxtAnswer, type TxtLookup } from './told-dns.ts'

export const UNVERIFIED: DomainFlags = { isActive: true, isApproved: false, isVerified: false }
export const VERIFIED: DomainFlags = { isActive: true, isApproved: true, isVerified: true }

const SPF_INCLUDE = 'spf.operator.test'
const OPERATOR_SPF: TxtAnswer = { kind: 'records', values: ['v=spf1 ip4:192.0.2.0/24 -all'] }

export interface CheckedDomains extends AsyncDisposable {
  readonly storage: Storage
  readonly dataDir: string
  readonly tenantId: string
  /** The published records; may be changed. */
  readonly zone: Map<string, TxtAnswer>
  readonly dns: ToldDns
  readonly clock: () => number
  advance(byMs: number): void
  add(name: string, extra?: Partial<Domain>): Promise<Domain>
  publish(domain: Domain): void
  withdraw(domain: Domain): void
  find(id: string): Promise<Domain>
}

/** `lookup` may delay its answer, or give another one than the zone. */
export async function openCheckedDomains(
  lookup: (zone: ReadonlyMap<string, TxtAnswer>) => TxtLookup = (zone) => (name) => zone.get(name),
): Promise<CheckedDomains> {
  let nowMs = Date.UTC(2026, 4, 20, 12)
  const clock = () => nowMs
  const storage = await openTestStorage(clock)
  const { id: tenantId } = await createTenant({ keys: storage.control.keys, clock }, 'acme')
  const zone = new Map([[SPF_INCLUDE, OPERATOR_SPF]])
  return {
    storage,
    dataDir: storage.dataDir,
    tenantId,
    zone,
    dns: createToldDns(lookup(zone)),
    clock,
    advance(byMs) {
      nowMs += byMs
    },
    add(name, extra = {}) {
      const key = {
        selector: 's1',
        algorithm: 'rsa',
        publicKey: Buffer.alloc(294, name).toString('base64'),
        sealedPrivateKey: new Uint8Array(40),
        state: 'current',
        createdAtMs: nowMs,
      } as const
      const changes = {
        dnsRecords: requiredRecords(name, key, { spfInclude: SPF_INCLUDE }).filter(({ required }) => required),
        dkimKeys: [key],
        createdAtMs: nowMs,
        updatedAtMs: nowMs,
      }
      return storage.control.domains.create(sampleDomain(tenantId, name, { ...changes, ...extra }))
    },
    publish({ dnsRecords }) {
      for (const { name, value } of dnsRecords) zone.set(name, { kind: 'records', values: [value] })
    },
    withdraw({ dnsRecords }) {
      for (const { name } of dnsRecords) zone.delete(name)
    },
    async find(id) {
      const domain = await storage.control.domains.findById(id)
      if (!domain) throw new Error(`there is no domain ${id}`)
      return domain
    },
    [Symbol.asyncDispose]: () => storage[Symbol.asyncDispose](),
  }
}
