/**
 * Verification for many at once: one check per domain at a time, whose answer all who ask meanwhile share, a cap on all
 * checks together, and a limit on how many each tenant can cause.
 */
import { AppError } from '../lib/app-error.ts'
import { type SlotLimits, Slots } from '../lib/slots.ts'
import { TokenBuckets } from '../lib/token-buckets.ts'
import type { CheckTrigger } from './domain-status.ts'
import { type DomainById, requireDomainById } from './require-domain.ts'
import {
  type CheckedDomain,
  examineDomain,
  recordFindings,
  toResult,
  VERIFY_DEADLINE_MS,
  type VerifyDomainDeps,
  type VerifyDomainResult,
} from './verify-domain.ts'

/** Each check asks some dozen questions; this many at once are a few hundred packets in flight. */
export const CHECK_LIMITS: SlotLimits = { runningMax: 32, waitingMax: 256 }

/** Longer is not waited for one's turn: what is left of the deadline would not do for a check. */
const WAIT_MAX_MS = 4000

/** Enough to check a hundred domains at a stroke, or to press a button once a second for hours. */
export const VERIFY_RATE = { burst: 100, perMinute: 60 } as const

export interface VerificationRunnerDeps extends VerifyDomainDeps {
  readonly limits?: SlotLimits
  /** Called after every check that was written down. */
  readonly onChecked?: (checked: CheckedDomain) => void
}

interface OngoingCheck {
  /** Becomes `asked` when somebody joins a scheduled check: that one is then applied as if it had been asked for. */
  trigger: CheckTrigger
  /** From here on it is too late for that. */
  isBeingRecorded: boolean
  readonly result: Promise<VerifyDomainResult>
}

export class VerificationRunner {
  readonly #deps: VerificationRunnerDeps
  readonly #slots: Slots
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
    return this.#run(id, 'asked')
  }

  /** For the schedule. Throws AppError `overloaded` as `verify` does. */
  recheck(domainId: string): Promise<VerifyDomainResult> {
    return this.#run(domainId, 'scheduled')
  }

  /** Ends what is under way, without a trace in the domains, and starts nothing more. */
  async close(): Promise<void> {
    this.#closing.abort()
    await Promise.allSettled([...this.#ongoing.values()].map(({ result }) => result))
  }

  async #run(domainId: string, trigger: CheckTrigger): Promise<VerifyDomainResult> {
    const ongoing = this.#ongoing.get(domainId)
    if (!ongoing) return this.#start(domainId, trigger)
    if (trigger === 'asked' && ongoing.trigger === 'scheduled') {
      if (ongoing.isBeingRecorded) {
        await ongoing.result.catch(() => undefined)
        return this.#run(domainId, trigger)
      }
      ongoing.trigger = 'asked'
    }
    return ongoing.result
  }

  #start(domainId: string, trigger: CheckTrigger): Promise<VerifyDomainResult> {
    const { promise: result, resolve } = Promise.withResolvers<VerifyDomainResult>()
    const check: OngoingCheck = { trigger, isBeingRecorded: false, result }
    this.#ongoing.set(domainId, check)
    resolve(this.#check(domainId, check).finally(() => this.#ongoing.delete(domainId)))
    return result
  }

  async #check(domainId: string, check: OngoingCheck): Promise<VerifyDomainResult> {
    const { domains, dns, clock, deadlineMs = VERIFY_DEADLINE_MS, onChecked } = this.#deps
    const { signal } = this.#closing
    const askedAtMs = clock()
    using slot = await this.#slots.take(AbortSignal.any([signal, AbortSignal.timeout(WAIT_MAX_MS)]))
    if (!slot) throw overloaded(signal)
    const waitedMs = Math.min(Math.max(clock() - askedAtMs, 0), WAIT_MAX_MS)
    const domain = await requireDomainById(domains, { domainId })
    const findings = await examineDomain(domain, dns, { deadlineMs: Math.max(deadlineMs - waitedMs, 1), signal })
    // What an aborted check did not hear says nothing about DNS.
    if (signal.aborted) throw overloaded(signal)
    check.isBeingRecorded = true
    const checked = await recordFindings(this.#deps, domain, findings, check.trigger)
    onChecked?.(checked)
    return toResult(findings)
  }
}

function rateLimited(): AppError {
  return new AppError(
    'rate_limited',
    `Too many verifications: ${VERIFY_RATE.burst} at once and ${VERIFY_RATE.perMinute} a minute are allowed. ` +
      'Nothing was checked; domains are also checked again by themselves.',
  )
}

function overloaded({ aborted: isClosing }: AbortSignal): AppError {
  const reason = isClosing ? 'The server is shutting down' : 'Too many checks are under way'
  return new AppError('overloaded', `${reason}; nothing was checked. Try again in a few seconds.`)
}
