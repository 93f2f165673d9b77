/** How the table `domain` of an SQL engine stores a Domain: the column of each field, and how its value is written there. */
import type { DkimKey, Domain } from '../../domains/domain.ts'
import type { DomainSortField, VerificationUpdate } from '../../domains/domain-store.ts'
import { addCheck, type PastChecks } from '../../domains/verification/check-history.ts'
import { SORTED_BY } from '../domain-rules.ts'

type SqlValue = null | number | string | Uint8Array
type Row = Record<string, SqlValue>

interface Form<Value> {
  readonly write: (value: Value) => SqlValue
  readonly read: (stored: never) => Value
}

type Column<Value> = readonly [name: string, form: Form<Value>]
type PlainField = Exclude<keyof Domain, 'recheck'>
/** A field without a value is NULL. */
type Fields = { readonly [Field in keyof Domain]?: Domain[Field] | undefined }

const number: Form<number> = { write: (value) => value, read: (stored) => stored }
const text: Form<string> = { write: (value) => value, read: (stored) => stored }
const flag: Form<boolean> = { write: Number, read: Boolean }
/** Trusted on reading: only this code writes it, from values of the same type. */
const json = { write: JSON.stringify, read: JSON.parse }
/** JSON has no bytes: the sealed private keys are hexadecimal. */
const dkimKeys: Form<readonly DkimKey[]> = {
  write: (keys) =>
    JSON.stringify(
      keys.map((key) => ({ ...key, sealedPrivateKey: Buffer.from(key.sealedPrivateKey).toString('hex') })),
    ),
  read: (stored) => {
    const keys: readonly (Omit<DkimKey, 'sealedPrivateKey'> & { sealedPrivateKey: string })[] = JSON.parse(stored)
    return keys.map((key) => ({ ...key, sealedPrivateKey: Uint8Array.from(Buffer.from(key.sealedPrivateKey, 'hex')) }))
  },
}

/** All fields but `recheck`, which has two columns. */
const COLUMNS: { readonly [Field in PlainField]-?: Column<NonNullable<Domain[Field]>> } = {
  id: ['id', text],
  number: ['number', number],
  tenantId: ['tenant_id', text],
  name: ['name', text],
  description: ['description', text],
  sendingEmail: ['sending_email', text],
  isActive: ['is_active', flag],
  isApproved: ['is_approved', flag],
  isVerified: ['is_verified', flag],
  failingSinceMs: ['failing_since_ms', number],
  deactivatedAtMs: ['deactivated_at_ms', number],
  proofDueAtMs: ['proof_due_at_ms', number],
  dnsRecords: ['dns_records', json],
  dkimKeys: ['dkim_keys', dkimKeys],
  lastVerificationErrors: ['last_verification_errors', json],
  lastVerificationCheckedAtMs: ['last_verification_checked_at_ms', number],
  createdAtMs: ['created_at_ms', number],
  updatedAtMs: ['updated_at_ms', number],
}

const ENTRIES = Object.entries(COLUMNS) as [PlainField, Column<unknown>][]

export function toDomain(row: Row): Domain {
  const present = ENTRIES.filter(([, [column]]) => row[column] !== null)
  const fields = present.map(([field, [column, { read }]]) => [field, read(row[column] as never)])
  const { next_check_at_ms: atMs, recheck_step: step } = row
  return { ...Object.fromEntries(fields), ...(atMs !== null && { recheck: { atMs, step } }) }
}

/** The columns of the fields that are given. */
export function toColumns(fields: Fields): Row {
  const given = ENTRIES.filter(([field]) => field in fields)
  const columns = given.map(([field, [column, { write }]]) => {
    const value = fields[field]
    return [column, value === undefined ? null : write(value)]
  })
  const { recheck } = fields
  const plan = 'recheck' in fields && { next_check_at_ms: recheck?.atMs ?? null, recheck_step: recheck?.step ?? 0 }
  return { ...Object.fromEntries(columns), ...plan }
}

/** The column of the SPF policy, if it is to be written. */
export function spfColumn(spf: VerificationUpdate['spf']): Row {
  return spf === undefined ? {} : { spf_policy: spf && JSON.stringify(spf) }
}

/** `stored`: the column as it was. */
export function historyColumn(stored: SqlValue, { result, lastVerificationCheckedAtMs }: HistoryUpdate): Row {
  if (!result) return {}
  return { check_history: JSON.stringify(addCheck(toHistory(stored), result, lastVerificationCheckedAtMs)) }
}

type HistoryUpdate = Pick<VerificationUpdate, 'result' | 'lastVerificationCheckedAtMs'>

export function toHistory(stored: SqlValue | undefined): readonly PastChecks[] {
  return typeof stored === 'string' ? JSON.parse(stored) : []
}

/** Only these names get into SQL, never text of the request. Columns without a value (never checked) sort first. */
export function sortColumn(field: DomainSortField): string {
  return COLUMNS[SORTED_BY[field]][0]
}
