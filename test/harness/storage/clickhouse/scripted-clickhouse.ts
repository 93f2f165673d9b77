/** A server of ClickHouse that answers with prepared rows: for what is asked, and what is made of the answers. */
import type { ClickHouse, SelectOptions } from '../../../../src/storage/clickhouse/server/clickhouse.ts'

type Rows = readonly (readonly (string | number)[])[]

/** `answers`: to each statement in turn; an error is thrown. Without any left, there are no rows. */
export function scriptClickHouse(answers: readonly (Rows | Error)[] = [], shards = 1) {
  const asked: { readonly sql: string; readonly domains?: readonly number[]; readonly options: SelectOptions }[] = []
  const waiting = [...answers]
  const answer = async () => {
    const next = waiting.shift() ?? []
    if (next instanceof Error) throw next
    return next.map((row) => row.map(String))
  }
  const clickHouse: Pick<ClickHouse, 'shards' | 'readFrom' | 'select' | 'selectOf' | 'divide'> = {
    shards,
    readFrom: (table) => table,
    select(sql, options = {}) {
      asked.push({ sql, options })
      return answer()
    },
    selectOf(domains, toSql, options = {}) {
      asked.push({ sql: toSql({ from: (table) => table, isThere: '1' }), domains, options })
      return answer()
    },
    divide: (domains) => [...Map.groupBy(domains, (domain) => domain % shards).values()],
  }
  return { clickHouse: clickHouse as ClickHouse, asked }
}
