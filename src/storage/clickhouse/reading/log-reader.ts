/** Pages of the log, of one or many domains. */
import type { LogPage, LogQuery, LogWindow, MessageQuery } from '../../../events/log/log-query.ts'
import type { ClickHouse } from '../server/clickhouse.ts'
import { DayVolumes } from './day-volumes.ts'
import { parsePosition } from './log-position.ts'
import { type LogSearch, PageSearch, type SearchContext } from './page-search.ts'
import { KnownSpans, MARGIN_OF_KNOWN_DAYS } from './search-spans.ts'

/** All that the column can hold. */
const ALL_TIMES: LogWindow = { startTimestamp: 0, endTimestamp: 2 ** 32 - 1 }

export interface LogReaderOptions {
  readonly clickHouse: ClickHouse
  readonly serviceMessageIdField: string
  /** From which second on events are retained: what is stored before it is left out. Default: all. */
  readonly retainedFrom?: () => Promise<number>
  /** Settings of ClickHouse for searches, such as a limit on the rows that one may read. */
  readonly settings?: Readonly<Record<string, number>>
}

export class LogReader {
  readonly #context: SearchContext
  readonly #retainedFrom: () => Promise<number>

  constructor({ retainedFrom = async () => 0, ...options }: LogReaderOptions) {
    this.#context = {
      ...options,
      spans: new KnownSpans(undefined, MARGIN_OF_KNOWN_DAYS),
      volumes: new DayVolumes(options.clickHouse),
    }
    this.#retainedFrom = retainedFrom
  }

  async list({ window, ...query }: LogQuery): Promise<LogPage> {
    return this.#run({
      ...query,
      window: { ...window, endTimestamp: Math.min(window.endTimestamp, ALL_TIMES.endTimestamp) },
    })
  }

  async listMessage({ messageId, ...query }: MessageQuery): Promise<LogPage> {
    return this.#run({ ...query, filters: { messageId }, window: ALL_TIMES })
  }

  async #run(search: LogSearch): Promise<LogPage> {
    const after = search.after === undefined ? undefined : parsePosition(search.after)
    if (search.domains.length === 0) return { events: [] }
    const startTimestamp = Math.max(search.window.startTimestamp, await this.#retainedFrom())
    const window = { ...search.window, startTimestamp }
    if (window.startTimestamp > window.endTimestamp) return { events: [] }
    return new PageSearch(this.#context, { ...search, window }).run(after)
  }
}
