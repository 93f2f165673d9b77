/** Registers a sender domain for a tenant: a name, a fresh DKIM key and the records to publish. */
import { randomUUIDv7 } from 'node:crypto'
import { AppError } from '../../lib/app-error.ts'
import type { Clock } from '../../lib/clock.ts'
import { known } from '../../lib/known.ts'
import type { Sealer } from '../../lib/sealing/sealer.ts'
import type { KeyStore } from '../../tenants/key-store.ts'
import { requireTenantByName } from '../../tenants/require-tenant.ts'
import type { Domain } from '../domain.ts'
import { NAME_LENGTH_MAX, normalizeDomainName, parseDomainName } from '../domain-name.ts'
import type { DomainStore } from '../domain-store.ts'
import { createDkimKey, DKIM_PREFIX_LENGTH } from '../records/dkim-key.ts'
import { type RequiredRecordsOptions, requiredRecords } from '../records/required-records.ts'
import { firstRecheck } from '../verification/recheck-schedule.ts'
import { givesWay } from './unproven-domain.ts'

const DESCRIPTION_LENGTH_MAX = 500
/** RFC 5321 section 4.5.3.1: a path has at most 256 octets, including its angle brackets. */
const ADDRESS_LENGTH_MAX = 254

export interface AddDomainDeps extends RequiredRecordsOptions {
  readonly domains: Pick<DomainStore, 'create' | 'findByName'>
  readonly keys: Pick<KeyStore, 'findTenantByName'>
  readonly sealer: Sealer
  readonly clock: Clock
}

/** Unchecked input. */
export interface NewDomain {
  readonly name: string
  readonly description?: string
  /** Default: the postmaster, the one address that every mail domain has (RFC 5321 section 4.5.1). */
  readonly sendingEmail?: string
}

export interface AddDomainRequest extends NewDomain {
  readonly tenantName: string
  readonly isActive: boolean
}

interface OwnedDomain extends NewDomain, Pick<Domain, 'tenantId' | 'isActive' | 'proofDueAtMs'> {}

/** Rejects with `invalid_request`, `not_found` (tenant) or `conflict` (the name is taken, by any tenant). */
export async function addDomain(deps: AddDomainDeps, request: AddDomainRequest): Promise<Domain> {
  const { tenantName, ...domain } = request
  parseSenderName(domain.name)
  const { id: tenantId } = await requireTenantByName(deps.keys, tenantName)
  return registerDomain(deps, { ...domain, tenantId }, (name) => {
    return new AppError('conflict', `The domain ${name} already exists`)
  })
}

/** `taken`: the refusal if another domain has the name and does not give way. */
export async function registerDomain(
  deps: Omit<AddDomainDeps, 'keys'>,
  { tenantId, isActive, proofDueAtMs, ...request }: OwnedDomain,
  taken: (name: string, holder: Domain) => AppError,
): Promise<Domain> {
  const name = parseSenderName(request.name)
  const description = parseDescription(request.description ?? '')
  const sendingEmail = parseSendingEmail(request.sendingEmail ?? `postmaster@${name}`, name)
  const nowMs = deps.clock()
  const owned = { tenantId, ...known({ proofDueAtMs }), createdAtMs: nowMs }
  // The store has the final say; checked first because creating a key is slow.
  const holder = await deps.domains.findByName(name)
  if (holder && !givesWay(holder, owned)) throw taken(name, holder)
  const dkimKey = await createDkimKey(deps.sealer, { state: 'current', nowMs })
  const id = randomUUIDv7()
  return deps.domains.create({
    id,
    ...owned,
    name,
    description,
    sendingEmail,
    dnsRecords: requiredRecords(name, dkimKey, deps),
    dkimKeys: [dkimKey],
    isActive,
    isApproved: false,
    isVerified: false,
    lastVerificationErrors: [],
    ...(isActive && { recheck: firstRecheck(id, nowMs) }),
    updatedAtMs: nowMs,
  })
}

/** A domain name that is short enough for the name of its DKIM record. */
function parseSenderName(text: string): string {
  const name = parseDomainName(text)
  const lengthMax = NAME_LENGTH_MAX - DKIM_PREFIX_LENGTH
  if (name.length <= lengthMax) return name
  throw new AppError(
    'invalid_request',
    `The name is too long: a sender domain can have at most ${lengthMax} characters, so that its DKIM record fits into DNS`,
  )
}

/** Those that control a terminal or the direction of text. Lines and tabs are fine. */
const CONTROLS = /(?![\n\t])[\p{Cc}\u202A-\u202E\u2066-\u2069]/u

function parseDescription(text: string): string {
  if (text.length > DESCRIPTION_LENGTH_MAX) {
    throw new AppError('invalid_request', `A description can have at most ${DESCRIPTION_LENGTH_MAX} characters`)
  }
  if (CONTROLS.test(text)) throw new AppError('invalid_request', 'A description must not contain control characters')
  return text
}

/** At the domain or below it: mail from elsewhere would not be covered by the domain's records. */
function parseSendingEmail(text: string, domainName: string): string {
  const at = text.lastIndexOf('@')
  const local = text.slice(0, Math.max(at, 0))
  const host = normalizeDomainName(text.slice(at + 1))
  const isAtDomain = host === domainName || host?.endsWith(`.${domainName}`)
  // RFC 5321 section 4.1.2, unquoted form.
  const isLocal = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/.test(local)
  if (!isLocal || !isAtDomain || text.length > ADDRESS_LENGTH_MAX) {
    throw new AppError('invalid_request', `The sending address must be an address at ${domainName}`)
  }
  return `${local}@${host}`
}
