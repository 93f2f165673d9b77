/**
 * Runs verifications concurrently: one check per domain at a time, whose result all waiting callers share; a cap on
 * concurrent checks, in all and for each tenant; a rate limit per tenant.
 */
import { AppError } from '../../lib/app-error.ts'
import { Deadline } from '../../lib/turns/deadline.ts'
import { type SlotLimits, Slots } from '../../lib/turns/slots.ts'
import { SlotsByKey } from '../../lib/turns/slots-by-key.ts'
import { TokenBuckets } from '../../lib/turns/token-buckets.ts'
import { type DomainById, requireDomainById } from '../require-domain.ts'
import type { CheckTrigger } from './domain-status.ts'
import {
  type CheckedDomain,
  examineDomain,
  recordFindings,
  VERIFY_DEADLINE_MS,
  type VerifyDomainDeps,
  type VerifyDomainResult,
} from './verify-domain.ts'

/** Each check sends about a dozen queries at a time, so this many checks mean a few hundred packets in flight. */
export const CHECK_LIMITS: SlotLimits = { runningMax: 32, waitingMax: 256 }
/** A quarter of all: a tenant with a thousand slow zones leaves room for the checks of others. */
export const TENANT_LIMITS: SlotLimits = { runningMax: 8, waitingMax: 128 }

/** Stop queueing after this long: too little of the deadline would remain for a check. */
const WAIT_MAX_MS = 4000

/** Enough to check a hundred domains at once, or one per second for hours. */
export const VERIFY_RATE = { burst: 100, perMinute: 60 } as const

export interface VerificationRunnerDeps extends VerifyDomainDeps {
  readonly limits?: SlotLimits
  /** Called after every check whose result was stored. */
  readonly onChecked?: (checked: CheckedDomain) => void
}

interface OngoingCheck {
  /** Becomes `asked` when a user joins a scheduled check, whose result is then applied as if a user had started it. */
  trigger: CheckTrigger
  /** Once true, the trigger no longer changes. */
  isBeingRecorded: boolean
  readonly result: Promise<VerifyDomainResult>
}

export class VerificationRunner {
  readonly #deps: VerificationRunnerDeps
  readonly #slots: Slots
  readonly #slotsOfTenants = new SlotsByKey(TENANT_LIMITS)
  readonly #allowances = new TokenBuckets(VERIFY_RATE)
  readonly #ongoing = new Map<string, OngoingCheck>()
  readonly #closing = new AbortController()

  constructor(deps: VerificationRunnerDeps) {
    this.#deps = deps
    this.#slots = new Slots(deps.limits ?? CHECK_LIMITS)
  }

  /**
   * Throws AppError `domain_not_found`; `rate_limited`, but not for the operator, nor for joining a check that is under way;
   * `overloaded` when too many checks are waiting, and then nothing was asked or written.
   */
  async verify(request: DomainById): Promise<VerifyDomainResult> {
    const { id, tenantId } = await requireDomainById(this.#deps.domains, request)
    const isLimited = request.tenantId !== undefined && !this.#ongoing.has(id)
    if (isLimited && !this.#allowances.take(tenantId, this.#deps.clock())) throw rateLimited()
    return this.#run(id, 'asked', request.tenantId)
  }

  /** For the schedule. Throws AppError `overloaded` as `verify` does. */
  recheck(domainId: string): Promise<VerifyDomainResult> {
    return this.#run(domainId, 'scheduled')
  }

  /** Aborts running checks without recording their results, and starts no more. */
  async close(): Promise<void> {
    this.#closing.abort()
    await Promise.allSettled([...this.#ongoing.values()].map(({ result }) => result))
  }

  /** `tenantId`: who asked, if not the operator or the schedule. */
  async #run(domainId: string, trigger: CheckTrigger, tenantId?: string): Promise<VerifyDomainResult> {
    const ongoing = this.#ongoing.get(domainId)
    if (!ongoing) return this.#start(domainId, trigger, tenantId)
    if (trigger === 'asked' && ongoing.trigger === 'scheduled') {
      if (ongoing.isBeingRecorded) {
        await ongoing.result.catch(() => undefined)
        return this.#run(domainId, trigger, tenantId)
      }
      ongoing.trigger = 'asked'
    }
    return ongoing.result
  }

  #start(domainId: string, trigger: CheckTrigger, tenantId?: string): Promise<VerifyDomainResult> {
    const { promise: result, resolve } = Promise.withResolvers<VerifyDomainResult>()
    const check: OngoingCheck = { trigger, isBeingRecorded: false, result }
    this.#ongoing.set(domainId, check)
    resolve(this.#check(domainId, check, tenantId).finally(() => this.#ongoing.delete(domainId)))
    return result
  }

  async #check(domainId: string, check: OngoingCheck, tenantId?: string): Promise<VerifyDomainResult> {
    const { domains, dns, deadlineMs = VERIFY_DEADLINE_MS, onChecked } = this.#deps
    const { signal } = this.#closing
    const deadline = new Deadline(deadlineMs)
    const patience = AbortSignal.any([signal, AbortSignal.timeout(WAIT_MAX_MS)])
    using ownSlot = tenantId === undefined ? NO_SLOT : await this.#slotsOfTenants.take(tenantId, patience)
    using slot = ownSlot && (await this.#slots.take(patience))
    if (!slot) throw overloaded(signal)
    const domain = await requireDomainById(domains, { domainId })
    const findings = await examineDomain(domain, dns, { deadlineMs: Math.max(deadline.leftMs, 1), signal })
    // Missing answers of an aborted check say nothing about DNS.
    if (signal.aborted) throw overloaded(signal)
    check.isBeingRecorded = true
    const checked = await recordFindings(this.#deps, domain, findings, check.trigger)
    onChecked?.(checked)
    const { outcome, errors, report } = findings
    return { isVerified: outcome === 'all_right', errors, ...(report && { report }) }
  }
}

const NO_SLOT: Disposable = { [Symbol.dispose]: () => undefined }

function rateLimited(): AppError {
  return new AppError(
    'rate_limited',
    `Too many verifications: at most ${VERIFY_RATE.burst} at once and ${VERIFY_RATE.perMinute} per minute are allowed. ` +
      'Nothing was checked; domains are also checked automatically.',
  )
}

function overloaded({ aborted: isClosing }: AbortSignal): AppError {
  const reason = isClosing ? 'The server is shutting down' : 'Too many checks are running'
  return new AppError('overloaded', `${reason}; nothing was checked. Try again in a few seconds.`)
}
