/** All pages of a listing, one after the other; other work gets the thread between two pages. */
import { known } from '../../lib/known.ts'
import { nextTurn } from '../../lib/turns/next-turn.ts'
import type { EventLog } from './event-log.ts'
import type { EventText, LogDomain, LogPage, LogPosition, PageQuery, ShownFields } from './log-query.ts'

/** `read`: the page after a position, or the first. Only the first may be refused because the tenant reads too much. */
export async function* listPages(
  read: (after: Pick<PageQuery, 'after' | 'isContinuation'>) => Promise<LogPage>,
): AsyncGenerator<readonly EventText[]> {
  let after: LogPosition | undefined
  do {
    const page = await read(after === undefined ? {} : { after, isContinuation: true })
    after = page.next
    yield page.events
    if (after !== undefined) await nextTurn()
  } while (after !== undefined)
}

const MESSAGE_PAGE = 250
const MESSAGE_BUDGET_MS = 100

/** All events with one message id, newest first: a large mailing has very many. */
export function listMessagePages(
  log: Pick<EventLog, 'listMessage'>,
  domains: readonly LogDomain[],
  messageId: string,
  tenantId?: string,
  shown?: ShownFields,
): AsyncGenerator<readonly EventText[]> {
  const query = { domains, messageId, limit: MESSAGE_PAGE, budgetMs: MESSAGE_BUDGET_MS, ...known({ tenantId, shown }) }
  return listPages((after) => log.listMessage({ ...query, ...after }))
}
