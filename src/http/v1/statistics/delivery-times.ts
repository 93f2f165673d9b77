/** GET /v1/stats/delivery-times: from reception to delivery. GET /v1/admin/stats/delivery-times: the same of all tenants. */
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { LogWindow } from '../../../events/log/log-query.ts'
import { findAnyDomains, findLogDomains } from '../../../events/log/search-log.ts'
import { AppError } from '../../../lib/app-error.ts'
import { toIsoTime } from '../../../lib/clock.ts'
import type { Static } from '../../../lib/json-schema.ts'
import { known } from '../../../lib/known.ts'
import { BriefAnswers } from '../../../lib/turns/brief-answers.ts'
import {
  type DeliveryTimesResult,
  type Durations,
  type GetDeliveryTimesRequest,
  getDeliveryTimes,
} from '../../../stats/delivery-times.ts'
import { MissingDays } from '../../answers/incomplete.ts'
import type { AppDeps } from '../../app-deps.ts'
import { READ_REFUSALS } from '../../routes/refusals.ts'
import { json, routesOf } from '../../routes/route.ts'
import { toWindow } from '../log/event-filters.ts'
import type { WindowParameters } from '../log/event-filters.wire.ts'
import { findTenantIds, OPERATOR_READER } from '../log/readers.ts'
import {
  AnyDeliveryTimesQuery,
  type DeliveryTimes,
  DeliveryTimesQuery,
  DeliveryTimesSchema,
} from './delivery-times.wire.ts'
import { hashDomains } from './hash-domains.ts'

/** How old an answer may be, and how many are kept. */
const LAST_MS = 60_000
const ANSWERS_MAX = 500
const DEFAULT_SECONDS = 86_400

export function addDeliveryTimes(scope: FastifyInstance, deps: AppDeps): void {
  const { storage, clock, queryBudgetMs: budgetMs } = deps
  const answers = new BriefAnswers<DeliveryTimesResult>({ lastMs: LAST_MS, entriesMax: ANSWERS_MAX })

  async function answer(request: GetDeliveryTimesRequest, reply: FastifyReply): Promise<DeliveryTimes> {
    const { tenantId, domains, window } = request
    const missing = new MissingDays(storage)
    const key = JSON.stringify([tenantId, window, hashDomains(domains)])
    const result = await answers.find(key, () => getDeliveryTimes({ log: storage.log, budgetMs }, request))
    missing.nameIn(reply, window)
    return toWire(result, window)
  }

  routesOf(scope, 'v1', { tenant: 'domainStats' })('GET /v1/stats/delivery-times', {
    operationId: 'getDeliveryTimes',
    summary: 'Time from reception to delivery',
    description:
      'Median and 95th percentile of the time from the reception of a message to its delivery, by provider, and over time: for each of 24 ' +
      'parts of the window. Estimated from a sample, whose size is given. Without `from`, the last 24 hours. Responses may be a ' +
      'minute old.',
    query: DeliveryTimesQuery,
    answer: json('The times.', DeliveryTimesSchema),
    refusals: ['domain_not_found', ...READ_REFUSALS],
    async handle({ caller: { tenantId }, query, reply }) {
      const domains = await findLogDomains(storage.control.domains, tenantId, known({ domains: query.domain }))
      return answer({ tenantId, domains, window: windowOf(query, clock()) }, reply)
    },
  })

  routesOf(scope, 'v1', { operator: 'read' })('GET /v1/admin/stats/delivery-times', {
    operationId: 'getAllDeliveryTimes',
    summary: 'Time from reception to delivery, of all tenants',
    description: 'Like `GET /v1/stats/delivery-times`, for the domains of all tenants or of those named by `tenant`.',
    query: AnyDeliveryTimesQuery,
    answer: json('The times.', DeliveryTimesSchema),
    refusals: ['domain_not_found', 'not_found', ...READ_REFUSALS],
    async handle({ query, reply }) {
      const asked = { ...(await findTenantIds(deps, query.tenant)), ...known({ domains: query.domain }) }
      const domains = await findAnyDomains(storage.control, asked)
      return answer({ tenantId: OPERATOR_READER, domains, window: windowOf(query, clock()) }, reply)
    },
  })
}

function windowOf(query: Static<typeof WindowParameters>, nowMs: number): LogWindow {
  const given = toWindow(query)
  // A whole minute, so that requests within it are the same.
  const endTimestamp = given.endTimestamp ?? Math.ceil(nowMs / 60_000) * 60 - 1
  const startTimestamp = given.startTimestamp ?? Math.max(0, endTimestamp + 1 - DEFAULT_SECONDS)
  if (startTimestamp <= endTimestamp) return { startTimestamp, endTimestamp }
  throw new AppError('invalid_request', 'from is not before to; by default the window is the last 24 hours')
}

function toWire(result: DeliveryTimesResult, { startTimestamp, endTimestamp }: LogWindow): DeliveryTimes {
  const { starts, all, providers, sampled, isCut } = result
  return {
    from: toIsoTime(startTimestamp * 1000),
    to: toIsoTime((endTimestamp + 1) * 1000),
    times: starts.map((start) => toIsoTime(start * 1000)),
    ...toDurations(all),
    providers: providers.map(({ provider, parts, ...own }) => ({
      provider,
      ...toDurations(own),
      parts: parts.map(toDurations),
    })),
    sampled,
    isComplete: !isCut,
  }
}

function toDurations({ count, median, percentile95 }: Durations) {
  return { count, median: median ?? null, percentile95: percentile95 ?? null }
}
