/**
 * What a writer needs of both databases, in memory: tables of SQLite that take the bytes of inserts and understand the statements of the
 * writer, and the decisions about batches of each shard.
 */
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite'
import { COLUMNS } from '../../../../src/storage/clickhouse/rows/columns.ts'
import type {
  ClickHouse,
  Insertion,
  SelectOptions,
  TableName,
} from '../../../../src/storage/clickhouse/server/clickhouse.ts'
import type { ArrivalNotices } from '../../../../src/storage/clickhouse/writing/arrival-notices.ts'
import type { Batch, DecisionRules } from '../../../../src/storage/postgres/batches/batch.ts'
import type { BatchStore } from '../../../../src/storage/postgres/batches/batch-store.ts'
import type { HeldShard } from '../../../../src/storage/postgres/batches/held-shard.ts'

export interface AskedRead {
  readonly sql: string
  readonly domains: readonly number[]
  readonly options: SelectOptions
}

/** Tests change these at any time. */
export interface ModelState {
  /** Called before each insert and read; what it throws is thrown. */
  beforeInsert: (insertion: Insertion) => void | Promise<void>
  /** Called after each insert: its outcome may be lost. */
  afterInsert: (insertion: Insertion) => void | Promise<void>
  beforeRead: (read: AskedRead) => void | Promise<void>
  beforeHold: (shard: number) => void | Promise<void>
  rules: DecisionRules
  isHeld: boolean
  next: number
}

export function openModelStore(shards = 2) {
  const db = new DatabaseSync(':memory:')
  db.function('intDiv', (a, b) => Math.floor(Number(a) / Number(b)))
  for (const [table, columns] of Object.entries(COLUMNS)) {
    db.exec(`CREATE TABLE ${table} (${columns.map(({ name }) => name).join(', ')})`)
  }
  const state: ModelState = {
    beforeInsert: () => undefined,
    afterInsert: () => undefined,
    beforeRead: () => undefined,
    beforeHold: () => undefined,
    rules: { cutDay: '0000-01-01', closedDay: undefined, removedDomains: new Set() },
    isHeld: true,
    next: 1,
  }
  const inserts: Insertion[] = []
  const reads: AskedRead[] = []
  const tokens = new Set<string>()
  const clickHouse: Pick<ClickHouse, 'shards' | 'insert' | 'selectOf'> = {
    shards,
    async insert(insertion) {
      inserts.push({ ...insertion, body: Uint8Array.from(insertion.body) })
      await state.beforeInsert(insertion)
      if (!tokens.has(insertion.token)) store(db, insertion)
      tokens.add(insertion.token)
      await state.afterInsert(insertion)
    },
    async selectOf(domains, toSql, options = {}) {
      const sql = toSql({ from: (table) => table, isThere: '1' })
      const read = { sql, domains, options }
      reads.push(read)
      await state.beforeRead(read)
      return select(db, sql, options)
    },
  }
  const batches = new ModelBatches(state)
  const rowsOf = (table: TableName) => db.prepare(`SELECT * FROM ${table}`).all()
  return { clickHouse: clickHouse as ClickHouse, batches, state, inserts, reads, rowsOf }
}

/** The locks, decisions and numbers; `unfinished`: by shard, the oldest first. */
class ModelBatches {
  readonly unfinished = new Map<number, Batch[]>()
  readonly #state: ModelState
  readonly #locks = new Map<number, Promise<void>>()

  constructor(state: ModelState) {
    this.#state = state
  }

  get store(): BatchStore {
    const store: Pick<BatchStore, 'hold' | 'tryHold' | 'listWaiting'> = {
      hold: (shard, _, work) => this.#hold(shard, work),
      tryHold: async (shard, work) => (this.#locks.has(shard) ? undefined : this.#hold(shard, work)),
      listWaiting: async () => [...this.unfinished].flatMap(([shard, batches]) => (batches.length > 0 ? [shard] : [])),
    }
    return store as BatchStore
  }

  async #hold<T>(shard: number, work: (held: HeldShard) => Promise<T>): Promise<T> {
    const before = this.#locks.get(shard)
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#locks.set(shard, promise)
    await before
    try {
      await this.#state.beforeHold(shard)
      return await work(this.#held(shard))
    } finally {
      if (this.#locks.get(shard) === promise) this.#locks.delete(shard)
      resolve()
    }
  }

  #held(number: number): HeldShard {
    const own = this.unfinished.get(number) ?? []
    this.unfinished.set(number, own)
    const state = this.#state
    const held: Pick<HeldShard, 'number' | 'isHeld' | 'findUnfinished' | 'decide' | 'finish'> = {
      number,
      get isHeld() {
        return state.isHeld
      },
      findUnfinished: async () => own[0],
      async decide(_, draft) {
        const drafted = await draft(state.rules)
        if (!drafted) return undefined
        const { events, token, domainNumbers, payload } = drafted
        const batch = { shard: number, first: state.next, events, token, domainNumbers, payload }
        state.next += Math.max(1, events)
        own.push(batch)
        return batch
      },
      finish: async ({ first }) =>
        void own.splice(
          own.findIndex((batch) => batch.first === first),
          1,
        ),
    }
    return held as HeldShard
  }
}

/** Tells nobody; `told`: the domains of each notice. */
export function openModelNotices() {
  const told: (readonly number[] | undefined)[] = []
  const notices: Pick<ArrivalNotices, 'announcementOf' | 'tell'> = {
    announcementOf: () => ({ channel: 'c', text: '' }),
    tell: (numbers) => void told.push(numbers && [...numbers]),
  }
  return { notices: notices as ArrivalNotices, told }
}

function store(db: DatabaseSync, { table, body }: Insertion): void {
  const columns: readonly { readonly name: string; readonly type: string }[] = COLUMNS[table]
  const insert = db.prepare(`INSERT INTO ${table} VALUES (${columns.map(() => '?').join(', ')})`)
  const bytes = Buffer.from(body)
  let at = 0
  const readText = () => {
    let length = 0
    for (let shift = 0; ; shift += 7) {
      const byte = bytes.readUInt8(at++)
      length |= (byte & 127) << shift
      if (byte < 128) break
    }
    at += length
    return bytes.toString('utf8', at - length, at)
  }
  const readNumber = (name: string, type: string) => {
    const size = Number(/\d+/.exec(type)) / 8
    at += size
    if (size < 8) return bytes.readUIntLE(at - size, size)
    const number = type === 'Int64' ? bytes.readBigInt64LE(at - size) : bytes.readBigUInt64LE(at - size)
    // Keys are larger than any number of SQLite.
    return name === 'key' ? String(number) : number
  }
  while (at < bytes.length) {
    insert.run(...columns.map(({ name, type }) => (type === 'String' ? readText() : readNumber(name, type))))
  }
}

function select(db: DatabaseSync, sql: string, { sent }: SelectOptions): readonly (readonly string[])[] {
  const asked = sent && [...new BigUint64Array(Uint8Array.from(sent.body).buffer)].map((key) => `'${key}'`)
  const understood = sql
    .replace('uniqExact(arrival)', 'count(DISTINCT arrival)')
    .replace(/PREWHERE([\s\S]*?)WHERE/, 'WHERE$1AND')
    .replace('key IN asked', `key IN (${asked?.join(', ')})`)
    .replace(/\(SELECT toU?Int32\(arrayJoin\(splitByChar\(',', '([^']*)'\)\)\)\)/, '($1)')
  return db
    .prepare(understood)
    .all()
    .map((row) => Object.values(row).map((value: SQLOutputValue) => String(value)))
}
