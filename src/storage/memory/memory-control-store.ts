/** Tenants, keys, domains and rejected records in maps. */
import type { Domain } from '../../domains/domain.ts'
import type { DomainStore } from '../../domains/domain-store.ts'
import { mergeCheckedRecords } from '../../domains/records/merge-records.ts'
import { givesWay, isProven, requireUnprovenRoom } from '../../domains/registration/unproven-domain.ts'
import { addCheck } from '../../domains/verification/check-history.ts'
import {
  formatSource,
  QUARANTINE_BYTES_DEFAULT,
  QUARANTINE_STEP,
  roomOf,
  sizeInQuarantine,
} from '../../events/ingest/quarantine-room.ts'
import {
  contains,
  type QuarantinedRecord,
  type QuarantineFilter,
  type QuarantineStore,
  type RejectedRecord,
} from '../../events/ingest/quarantine-store.ts'
import { AppError } from '../../lib/app-error.ts'
import { known } from '../../lib/known.ts'
import type { ApiKeyRecord, KeyStore } from '../../tenants/key-store.ts'
import { changeLimits, isExpired } from '../../tenants/limits/key-limits.ts'
import { changeQuotas, requireRoom } from '../../tenants/limits/quotas.ts'
import type { Tenant } from '../../tenants/tenant.ts'
import { CHECK_WAIT_MAX_MS, CLAIM_LEASES_MAX, hasSameKeys, inTurns, SORTED_BY } from '../domain-rules.ts'
import { takeWithin } from '../rows/quarantine-row.ts'
import { forgetDomain, type MemoryState } from './memory-state.ts'

export function createMemoryKeyStore({ tenants, keys, domains, views }: MemoryState): KeyStore {
  const isValid = (key: ApiKeyRecord, nowMs: number) => key.revokedAtMs === undefined && !isExpired(key, nowMs)
  const countKeys = (tenantId: string, nowMs: number) =>
    [...keys.values()].filter((key) => key.tenant?.id === tenantId && isValid(key, nowMs)).length
  const countUseOf = (id: string, nowMs: number) => ({
    domains: [...domains.values()].filter(({ tenantId }) => tenantId === id).length,
    keys: countKeys(id, nowMs),
  })
  /** As the tenant is now. */
  const withTenant = (key: ApiKeyRecord | undefined): ApiKeyRecord | undefined => {
    const owner = key?.tenant && tenants.get(key.tenant.id)
    if (!key || !owner) return key
    const { quotas: _, retentionDays: __, expiredToMs: ___, ...tenant } = owner
    return { ...key, tenant }
  }
  return {
    async createTenant(tenant) {
      if ([...tenants.values()].some(({ name }) => name === tenant.name)) {
        throw new AppError('conflict', `A tenant named ${JSON.stringify(tenant.name)} already exists`)
      }
      tenants.set(tenant.id, tenant)
    },
    findTenant: async (id) => tenants.get(id),
    findTenantByName: async (name) => [...tenants.values()].find((tenant) => tenant.name === name),
    listTenants: async () => [...tenants.values()].sort((a, b) => compare(a.name, b.name)),
    async changeQuotas(tenantId, change) {
      const { quotas, ...tenant } = tenants.get(tenantId) ?? {}
      if (!('id' in tenant)) return false
      const changed = changeQuotas(quotas, change)
      tenants.set(tenantId, { ...tenant, ...(changed && { quotas: changed }) })
      return true
    },
    async changeTenant(tenantId, change) {
      const tenant = tenants.get(tenantId)
      if (!tenant) return false
      const changed = Object.entries({ ...tenant, ...change }).filter(([, value]) => value !== null)
      tenants.set(tenantId, Object.fromEntries(changed) as unknown as Tenant)
      return true
    },
    async countUse(nowMs) {
      const uses = [...tenants.keys()].map((id) => [id, countUseOf(id, nowMs)] as const)
      return new Map(uses.filter(([, use]) => use.domains + use.keys > 0))
    },
    countUseOf: async (tenantId, nowMs) => countUseOf(tenantId, nowMs),
    async createKey({ tenantId, ...key }) {
      const found = tenants.get(tenantId ?? '')
      if (tenantId !== undefined && !found) throw new Error(`no tenant has the id ${tenantId}`)
      if (keys.has(key.id)) throw new Error(`there is a key ${key.id} already`)
      if (!found) return void keys.set(key.id, key)
      const { quotas, ...tenant } = found
      requireRoom('keys', quotas?.keys, countKeys(tenant.id, key.createdAtMs))
      keys.set(key.id, { ...key, tenant })
    },
    findKey: async (id) => withTenant(keys.get(id)),
    listKeys: async () =>
      [...keys.values()]
        .flatMap((key) => withTenant(key) ?? [])
        .sort((a, b) => compare(a.createdAtMs, b.createdAtMs) || compare(a.id, b.id)),
    async changeKey(id, change, nowMs) {
      const key = keys.get(id)
      if (!key || !isValid(key, nowMs)) return false
      const { name: _, expiresAtMs: __, networks: ___, ...rest } = key
      keys.set(id, { ...rest, ...changeLimits(key, change) })
      return true
    },
    async revokeKey(id, nowMs) {
      const key = keys.get(id)
      if (key) keys.set(id, { ...key, revokedAtMs: key.revokedAtMs ?? nowMs })
      views.delete(id)
      return key !== undefined
    },
    async recordKeyUse(uses) {
      for (const [id, timeMs] of uses) {
        const key = keys.get(id)
        if (!key) continue
        const { lastUsedAtMs: before = timeMs } = key
        const lastUsedAtMs = before > timeMs + DAY_MS ? timeMs : Math.max(before, timeMs)
        keys.set(id, { ...key, lastUsedAtMs })
      }
    },
  }
}

const DAY_MS = 86_400_000

export function createMemoryDomainStore(state: MemoryState): DomainStore {
  const { tenants, domains, claims } = state
  const listWhere = (isWanted: (domain: Domain) => boolean) => [...domains.values()].filter(isWanted)
  const findByName = async (name: string) => listWhere((domain) => domain.name === name)[0]
  const change = (id: string, toChanged: (domain: Domain) => Domain) => {
    const domain = domains.get(id)
    if (domain) domains.set(id, toChanged(domain))
  }
  return {
    async create(domain) {
      if (!tenants.has(domain.tenantId)) throw new Error(`no tenant has the id ${domain.tenantId}`)
      const holder = await findByName(domain.name)
      if (holder && !givesWay(holder, domain)) {
        throw new AppError('conflict', `The domain ${domain.name} already exists`)
      }
      const owned = listWhere(({ tenantId }) => tenantId === domain.tenantId)
      requireRoom('domains', tenants.get(domain.tenantId)?.quotas?.domains, owned.length)
      if (!isProven(domain)) requireUnprovenRoom(owned.filter((other) => !isProven(other)).length)
      if (holder) forgetDomain(state, holder.id)
      const created = { ...domain, number: ++state.lastDomainNumber }
      domains.set(domain.id, created)
      return created
    },
    findByName,
    findById: async (id) => domains.get(id),
    findSpf: async (id) => state.spf.get(id),
    findChecks: async (id) => state.checks.get(id) ?? [],
    async list({ tenantId, onboarded, search = '', orderBy, skip, take }) {
      // Missing values come first.
      const keyOf = (domain: Domain) => domain[SORTED_BY[orderBy.field]] ?? Number.NEGATIVE_INFINITY
      const direction = orderBy.direction === 'asc' ? 1 : -1
      const matching = listWhere(
        (domain) =>
          (tenantId === undefined || domain.tenantId === tenantId) &&
          domain.name.includes(search) &&
          (onboarded === undefined || (domain.isActive && domain.isApproved && domain.isVerified) === onboarded),
      ).sort((a, b) => direction * compare(keyOf(a), keyOf(b)) || compare(a.id, b.id))
      return { domains: matching.slice(skip, skip + take), count: matching.length }
    },
    async listNames(tenantId) {
      const own = listWhere((domain) => tenantId === undefined || domain.tenantId === tenantId)
      return own.map(({ name, number }) => ({ name, number })).sort((a, b) => compare(a.name, b.name))
    },
    async claimDue(nowMs, limit, leaseMs) {
      const dueAtMs = ({ recheck }: Domain) => recheck?.atMs ?? Number.POSITIVE_INFINITY
      const isDue = (atMs: number) => atMs <= nowMs || (atMs > nowMs + CHECK_WAIT_MAX_MS && Number.isFinite(atMs))
      const isClaimed = (untilMs: number) => untilMs > nowMs && untilMs <= nowMs + CLAIM_LEASES_MAX * leaseMs
      const overdue = listWhere(
        (domain) =>
          domain.isActive &&
          tenants.get(domain.tenantId)?.suspendedAtMs === undefined &&
          isDue(dueAtMs(domain)) &&
          !isClaimed(claims.get(domain.id) ?? nowMs),
      ).sort((a, b) => compare(dueAtMs(a), dueAtMs(b)) || compare(a.id, b.id))
      const due = inTurns(overdue)
        .slice(0, limit)
        .map(({ id }) => id)
      for (const id of due) claims.set(id, nowMs + leaseMs)
      return due
    },
    async releaseClaims(ids) {
      for (const id of ids) claims.delete(id)
    },
    async census() {
      const census = { verified: 0, failing: 0, unverified: 0, inactive: 0 }
      for (const { isActive, isVerified, failingSinceMs } of domains.values()) {
        if (!isActive) census.inactive++
        else if (!isVerified) census.unverified++
        else if (failingSinceMs === undefined) census.verified++
        else census.failing++
      }
      return census
    },
    async setActive(id, isActive, nowMs, recheck) {
      change(id, (domain) => {
        const { deactivatedAtMs: _, proofDueAtMs, ...rest } = domain
        const since = isActive ? {} : { deactivatedAtMs: nowMs, ...known({ proofDueAtMs }) }
        return { ...rest, ...since, isActive, updatedAtMs: nowMs, ...(recheck && { recheck }) }
      })
    },
    async saveVerification(id, { spf, result, ...update }) {
      claims.delete(id)
      change(id, (domain) => {
        if (spf) state.spf.set(id, spf)
        else if (spf === null) state.spf.delete(id)
        const { failingSinceMs: _, recheck: __, proofDueAtMs, ...rest } = domain
        const dnsRecords = mergeCheckedRecords(domain.dnsRecords, update.dnsRecords)
        const proof = update.isVerified ? {} : known({ proofDueAtMs })
        const atMs = update.lastVerificationCheckedAtMs
        if (result) state.checks.set(id, addCheck(state.checks.get(id) ?? [], result, atMs))
        return { ...rest, ...proof, ...update, dnsRecords, updatedAtMs: atMs }
      })
    },
    async saveRecheck(id, recheck) {
      claims.delete(id)
      change(id, (domain) => ({ ...domain, recheck }))
    },
    async saveKeys(before, update) {
      const domain = domains.get(before.id)
      if (!domain || !hasSameKeys(domain, before)) return false
      change(before.id, (now) => ({ ...now, ...update }))
      return true
    },
    async removeUnproven(id) {
      const domain = domains.get(id)
      if (!domain?.isActive || isProven(domain)) return false
      forgetDomain(state, id)
      return true
    },
  }
}

export function createMemoryQuarantineStore(
  state: MemoryState,
  bytesMax: number = QUARANTINE_BYTES_DEFAULT,
): QuarantineStore {
  const keepOnly = (isKept: (record: QuarantinedRecord) => boolean): number => {
    const before = state.quarantine.length
    state.quarantine = state.quarantine.filter(isKept)
    return before - state.quarantine.length
  }
  const hasRoom = (records: readonly RejectedRecord[]) => {
    const isNew = (record: RejectedRecord) => !state.quarantine.some((kept) => isSameRecord(kept, record))
    const added = records.filter(isNew)
    const all = [...state.quarantine, ...added]
    return added.every(({ source }) => {
      const room = roomOf(source.kind, bytesMax)
      const ofKind = all.filter((other) => other.source.kind === source.kind)
      const ofSource = ofKind.filter((other) => other.source.name === source.name)
      return sizeOf(ofSource) <= room.source && sizeOf(ofKind) <= room.kind && sizeOf(all) <= room.all
    })
  }
  return {
    bytesMax,
    async add(records, nowMs) {
      if (!hasRoom(records)) return false
      for (const record of records) {
        const known = state.quarantine.find((kept) => isSameRecord(kept, record))
        const renewed = { ...record, rejectedAtMs: nowMs, times: (known?.times ?? 0) + 1 }
        state.quarantine = known
          ? state.quarantine.map((kept) => (kept === known ? { ...renewed, source: kept.source, id: kept.id } : kept))
          : [...state.quarantine, { ...renewed, id: ++state.lastQuarantineId }]
      }
      return true
    },
    async list({ afterId, limit }) {
      const page = state.quarantine.filter(({ id }) => id > afterId).slice(0, limit)
      const sized = page.map((record) => ({ record, bytes: record.payload.length }))
      return takeWithin(sized, QUARANTINE_STEP.pageBytes).map(({ record }) => record)
    },
    count: async () => state.quarantine.length,
    async usage(limit) {
      const bySource = Map.groupBy(state.quarantine, ({ source }) => formatSource(source))
      const sources = [...bySource.values()].flatMap((records) => {
        return records.slice(0, 1).map(({ source }) => ({ source, records: records.length, bytes: sizeOf(records) }))
      })
      const largest = sources.sort((a, b) => b.bytes - a.bytes).slice(0, limit)
      return { records: state.quarantine.length, bytes: sizeOf(state.quarantine), sources: largest }
    },
    remove: async (ids) => keepOnly(({ id }) => !ids.includes(id)),
    async removeNext(filter, afterId) {
      const examined = state.quarantine.filter(({ id }) => id > afterId).slice(0, QUARANTINE_STEP.removedRows)
      const last = examined.at(-1)
      const removed = keepOnly((record) => !(examined.includes(record) && isSelected(record, filter)))
      return { removed, ...(last && { next: last.id }) }
    },
    removeOlderThan: async (timeMs) => keepOnly(({ rejectedAtMs }) => rejectedAtMs >= timeMs),
  }
}

function sizeOf(records: readonly RejectedRecord[]): number {
  return records.reduce((bytes, record) => bytes + sizeInQuarantine(record), 0)
}

function isSelected(record: RejectedRecord, { connector, source, tenantId, text }: QuarantineFilter): boolean {
  if (connector !== undefined && record.connector !== connector) return false
  const isOfTenant = record.tenantId === tenantId || formatSource(record.source) === `tenant ${tenantId}`
  if (tenantId !== undefined && !isOfTenant) return false
  if (text !== undefined && !contains(record, text)) return false
  return source === undefined || formatSource(record.source) === formatSource(source)
}

function isSameRecord(a: RejectedRecord, b: RejectedRecord): boolean {
  return a.connector === b.connector && a.tenantId === b.tenantId && Buffer.from(a.payload).equals(b.payload)
}

/** Compares texts by their bytes. */
function compare<Value extends string | number | boolean>(a: Value, b: Value): number {
  if (typeof a === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(b as string))
  if (a === b) return 0
  return a < b ? -1 : 1
}
