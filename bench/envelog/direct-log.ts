/**
 * The store asked in this process, below HTTP: `--direct` and the profile. No other module of the benchmark knows how the
 * store is read.
 */
import type { EmailEvent } from '../../src/events/event.ts'
import type { EventText, LogPosition } from '../../src/events/log/log-query.ts'
import { type DomainStats, getDomainStats } from '../../src/stats/get-domain-stats.ts'
import type { Storage } from '../../src/storage/storage.ts'
import type { Answer, PreparedQuestion, Question, Side } from '../questions/question.ts'

/** Long enough that every answer is complete. */
const NO_BUDGET_MS = 600_000

export type DirectLog = Pick<Storage['log'], 'list' | 'listMessage' | 'counts'>

interface Found {
  readonly events?: readonly EventText[]
  readonly next?: LogPosition
  readonly stats?: readonly DomainStats[]
}

export function openDirectLog(
  { log, control }: { readonly log: DirectLog; readonly control: Pick<Storage['control'], 'domains'> },
  tenant: { readonly tenantId: string; readonly domains: ReadonlyMap<string, number> },
  budgetMs = NO_BUDGET_MS,
): Side {
  const ask = async (question: Question, after: string | undefined): Promise<Found> => {
    if (question.kind === 'stats') {
      return { stats: await getDomainStats({ counts: log, domains: control.domains }, tenant.tenantId) }
    }
    if (question.kind === 'series') throw new Error('series are asked over HTTP')
    const [name = ''] = question.domains
    const domains = [{ number: tenant.domains.get(name) ?? 0, name }]
    const page = { domains, budgetMs, ...(after !== undefined && { after }) }
    if (question.kind === 'message') return log.listMessage({ ...page, messageId: question.messageId, limit: 1000 })
    const { startTimestamp, endTimestamp, responseCode, ...filters } = question.filters
    return log.list({
      ...page,
      filters: { ...filters, ...(responseCode !== undefined && { codes: [{ from: responseCode, to: responseCode }] }) },
      window: { startTimestamp, endTimestamp },
      limit: question.limit,
    })
  }
  return {
    prepare: (question, after): PreparedQuestion<Found> => ({ ask: () => ask(question, after), read: toAnswer }),
  }
}

function toAnswer({ events = [], next, stats }: Found): Answer {
  if (!stats) {
    return { events: events.map((text) => JSON.parse(text) as EmailEvent), next }
  }
  const counts = stats.map(({ name, counts: { bounce, delivery, reception } }) => [name, [bounce, delivery, reception]])
  return { counts: Object.fromEntries(counts) as Record<string, number[]> }
}
