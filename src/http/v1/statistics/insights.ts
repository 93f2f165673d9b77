/** GET /v1/insights: what has changed. GET /v1/admin/insights: the same of all tenants. */
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { ShownFields } from '../../../events/log/log-query.ts'
import { findAnyDomains, findLogDomains } from '../../../events/log/search-log.ts'
import { toIsoTime } from '../../../lib/clock.ts'
import { known } from '../../../lib/known.ts'
import { BriefAnswers } from '../../../lib/turns/brief-answers.ts'
import type { Comparison, Finding, Findings } from '../../../stats/findings/finding.ts'
import { describeFinding, findMainReply } from '../../../stats/findings/finding-words.ts'
import { type GetFindingsRequest, getFindings } from '../../../stats/findings/get-findings.ts'
import { MissingDays } from '../../answers/incomplete.ts'
import type { AppDeps } from '../../app-deps.ts'
import { READ_REFUSALS } from '../../routes/refusals.ts'
import { json, routesOf } from '../../routes/route.ts'
import { findTenantIds, OPERATOR_READER, shownToTenants } from '../log/readers.ts'
import { hashDomains } from './hash-domains.ts'
import {
  AnyInsightsQuery,
  type Insights,
  InsightsQuery,
  InsightsSchema,
  type Finding as WireFinding,
} from './insights.wire.ts'

/** How old an answer may be, and how many are kept. */
const LAST_MS = 30_000
const ANSWERS_MAX = 500

export function addInsights(scope: FastifyInstance, deps: AppDeps): void {
  const { storage, clock, queryBudgetMs: budgetMs } = deps
  const answers = new BriefAnswers<Findings>({ lastMs: LAST_MS, entriesMax: ANSWERS_MAX })

  async function answer(request: GetFindingsRequest, asked: Asked, reply: FastifyReply): Promise<Insights> {
    const missing = new MissingDays(storage)
    const found = await answers.find(keyOf(request), () =>
      getFindings({ log: storage.log, counts: storage.log, clock, budgetMs }, request),
    )
    missing.nameIn(reply, { startTimestamp: found.fromMs / 1000, endTimestamp: found.toMs / 1000 - 1 })
    return toWire(found, asked)
  }

  routesOf(scope, 'v1', { tenant: 'domainStats' })('GET /v1/insights', {
    operationId: 'getInsights',
    summary: 'What has changed',
    description:
      'Bounces, deferrals, late bounces and complaints of the last 24 hours that are more frequent than in the same hours of the four ' +
      'weeks before, worst first, each with the provider, the classification, the replies of receiving servers and the domains. ' +
      'Empty if nothing is unusual. Responses may be 30 seconds old.',
    query: InsightsQuery,
    answer: json('The findings.', InsightsSchema),
    refusals: ['domain_not_found', ...READ_REFUSALS],
    async handle({ caller: { tenantId, scopes }, query: { domain: names }, reply }) {
      const domains = await findLogDomains(storage.control.domains, tenantId, known({ domains: names }))
      const request = { tenantId, domains, shown: shownToTenants(deps), canReadLog: scopes.includes('logs') }
      return answer(request, known({ domain: names }), reply)
    },
  })

  routesOf(scope, 'v1', { operator: 'read' })('GET /v1/admin/insights', {
    operationId: 'getAllInsights',
    summary: 'What has changed, of all tenants',
    description:
      'Like `GET /v1/insights`, for the domains of all tenants or of those named by `tenant`, with the sending addresses. Failures of one ' +
      'address at several providers are a finding about the address. `query` is for `GET /v1/admin/events`.',
    query: AnyInsightsQuery,
    answer: json('The findings.', InsightsSchema),
    refusals: ['domain_not_found', 'not_found', ...READ_REFUSALS],
    async handle({ query: { tenant, domain }, reply }) {
      const asked = { ...(await findTenantIds(deps, tenant)), ...known({ domains: domain }) }
      const domains = await findAnyDomains(storage.control, asked)
      const shown: ShownFields = 'sending'
      return answer({ tenantId: OPERATOR_READER, domains, shown, canReadLog: true }, known({ tenant, domain }), reply)
    },
  })
}

/** Which domains were asked for, as parameters. */
interface Asked {
  readonly tenant?: readonly string[]
  readonly domain?: readonly string[]
}

/** Everything that the answer depends on. */
function keyOf({ tenantId, domains, shown, canReadLog }: GetFindingsRequest): string {
  return JSON.stringify([tenantId, shown, canReadLog, hashDomains(domains)])
}

function toWire({ fromMs, toMs, comparison, findings, omitted, isCut }: Findings, asked: Asked): Insights {
  return {
    from: toIsoTime(fromMs),
    to: toIsoTime(toMs),
    comparison: { weeks: 0, hours: 0, ...comparison },
    findings: findings.map((finding) => toWireFinding(finding, comparison, toMs, asked)),
    omitted,
    isComplete: !isCut,
  }
}

function toWireFinding(finding: Finding, comparison: Comparison, endMs: number, asked: Asked): WireFinding {
  const {
    figure,
    types,
    address = null,
    provider = null,
    providers,
    classification = null,
    sinceMs,
    untilMs,
    count,
    usual,
    isNew,
  } = finding
  const { domains, addresses, shareOfAll, shareOfGroup, replies } = finding
  const main = findMainReply(finding)
  return {
    sentence: describeFinding(finding, comparison),
    figure,
    types,
    address,
    provider,
    ...known({ providers }),
    classification,
    code: main?.code ?? null,
    text: main?.text ?? null,
    since: toIsoTime(sinceMs),
    until: untilMs === undefined ? null : toIsoTime(untilMs),
    count,
    usual: Math.round(usual * 10) / 10,
    isNew,
    share: shareOfAll,
    providerShare: shareOfGroup,
    domains,
    addresses,
    replies: {
      examined: replies?.counted ?? 0,
      isComplete: replies ? !replies.isCut : false,
      unlisted: replies?.unlisted ?? 0,
      listed: (replies?.replies ?? []).map(({ code = null, text, count: ofReply }) => ({ code, text, count: ofReply })),
    },
    query: toQuery(finding, endMs, asked),
  }
}

/** Events without a provider or classification cannot be searched for: the others are shown with them. */
function toQuery(finding: Finding, endMs: number, asked: Asked): string {
  const { types, address, provider, classification, sinceMs, untilMs } = finding
  const values: readonly [string, readonly string[]][] = [
    ['tenant', asked.tenant ?? []],
    ['type', types],
    ['domain', asked.domain ?? []],
    ['provider', provider ? [provider] : []],
    ['classification', classification ? [classification] : []],
    ['sending_address', address === undefined ? [] : [address]],
    ['from', [toIsoTime(sinceMs)]],
    ['to', [toIsoTime(untilMs ?? endMs)]],
  ]
  return String(
    new URLSearchParams(values.flatMap(([name, texts]) => texts.map((text): [string, string] => [name, text]))),
  )
}
