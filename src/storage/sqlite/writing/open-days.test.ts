/** The files of days that the writing thread has open: when they are opened, closed, compacted and left alone. */
import assert from 'node:assert/strict'
import fs, { mkdirSync, utimesSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { describe, test } from 'node:test'
import { listOpenDays } from '../../../../test/harness/storage/open-days.ts'
import { openTemporaryFolder } from '../../../../test/harness/temporary-folder.ts'
import type { DayTrouble } from '../../storage.ts'
import { Database, type SqlValue } from '../database/database.ts'
import type { Day } from '../days/day.ts'
import { DayFiles, DaySetAsideError } from '../days/day-files.ts'
import { DayWriters, type WritingService } from './day-writers.ts'
import { toEventRow } from './event-row.ts'

const NOON = 1_772_366_400
const DAYS = ['2026-03-01', '2026-03-02', '2026-03-03', '2026-03-04', '2026-03-05'] as const
const [FIRST, SECOND, THIRD, FOURTH] = DAYS
const STORED = { stored: 1, duplicates: 0, expired: [] }
const NOTHING = { removed: 0, rows: 0, isDone: true }

function row(day: Day, id = 'm') {
  const timestamp = NOON + DAYS.indexOf(day as (typeof DAYS)[number]) * 86_400
  const event = { id, timestamp, type: 'Delivery' as const, domain_name: 'a.test', recipient: 'u@b.test' }
  return toEventRow({ domainNumber: 1, event })
}

const failure = (errcode: number) => Object.assign(new Error('failed'), { errcode })

/** Files whose statements can be made to fail, and their opening. */
class TestedFiles extends DayFiles {
  onOpen: (day: Day) => void = () => undefined
  onStatement: (sql: string, day: Day) => void = () => undefined
  onRun: (sql: string, day: Day) => void = () => undefined
  /** Of every file, if it is not what it is. */
  pages: number | undefined

  override openForWriting(day: Day, cacheKib: number): Database {
    this.onOpen(day)
    const onStatement = (sql: string) => this.onStatement(sql, day)
    const onRun = (sql: string) => this.onRun(sql, day)
    const countPages = () => this.pages
    class TestedDatabase extends Database {
      override execute(sql: string): void {
        onStatement(sql)
        super.execute(sql)
      }
      override run(sql: string, ...values: SqlValue[]) {
        onRun(sql)
        return super.run(sql, ...values)
      }
      override number(sql: string, ...values: []): number {
        return (sql === 'PRAGMA page_count' ? countPages() : undefined) ?? super.number(sql, ...values)
      }
    }
    super.openForWriting(day, cacheKib).close()
    return new TestedDatabase(this.path(day), { cacheKib })
  }
}

function openScene(service: WritingService = {}) {
  const folder = openTemporaryFolder()
  const files = new TestedFiles(folder.path)
  const troubles: DayTrouble[] = []
  const removed = new Set<Day>()
  const writers = new DayWriters(files, (day) => removed.has(day), {
    onTrouble: (trouble) => troubles.push(trouble),
    ...service,
  })
  return {
    files,
    writers,
    troubles,
    removed,
    /** One request of an event for each day. */
    store: (...days: readonly Day[]) => writers.store([days.map((day) => row(day))], 0).requests[0],
    open: () => listOpenDays(files),
    busy: () => DAYS.filter((day) => writers.isBusy(day)),
    [Symbol.dispose]() {
      files.onStatement = () => undefined
      writers.close()
      folder[Symbol.dispose]()
    },
  }
}

/** Long after every commit. */
const later = () => performance.now() + 6000

test('no commit is stamped with a time before the last change of a file', () => {
  using folder = openTemporaryFolder()
  const files = new DayFiles(folder.path)
  files.openForWriting(FIRST, 1024).close()
  utimesSync(files.path(FIRST), 2e9, 2e9 + 0.0005)
  const writers = new DayWriters(files, () => false)
  assert.equal(writers.store([[row(FIRST)]], 5).commits[0]?.storedAtMs, 2e12 + 1)
  writers.close()
})

test('each row gets its arrival number within its day, or 0 if it was not stored', () => {
  using scene = openScene({ isRemovedDomain: (domain) => domain === 2 })
  const gone = { ...row(FIRST, 'c'), domain: 2 }
  const requests = [
    [row(FIRST, 'a'), row(FIRST, 'a'), gone, row(FIRST, 'b')],
    [row(SECOND), row(FIRST, 'd')],
  ]
  assert.deepEqual(scene.writers.store(requests, 0).arrivals, [1, 0, 0, 2, 1, 3])
})

describe('a day that fails', () => {
  test('because it cannot be opened does not keep the others', () => {
    using scene = openScene()
    mkdirSync(scene.files.path(SECOND), { recursive: true })
    const batch = [[row(FIRST), row(SECOND), row(SECOND, 'n')], [row(THIRD)]]
    const { requests, failure: cause } = scene.writers.store(batch, 0)
    assert.deepEqual(requests, [{ setAside: [], stored: 1 }, STORED])
    assert.ok(cause instanceof Error)
    assert.deepEqual(scene.busy(), [FIRST, THIRD])
  })

  test('in the middle of its rows is undone with what was written before', () => {
    using scene = openScene()
    scene.files.onRun = (sql, day) => {
      if (day === FIRST && /INSERT INTO event /.test(sql) && ++inserted === 2) throw failure(10)
    }
    let inserted = 0
    const batch = [[row(FIRST, 'a'), row(FIRST, 'b'), row(FIRST, 'c')], [row(SECOND)]]
    const { requests, commits } = scene.writers.store(batch, 0)
    assert.deepEqual(requests, [{ setAside: [], stored: 0 }, STORED])
    assert.deepEqual(
      commits.map(({ day }) => day),
      [SECOND],
    )
    assert.deepEqual(scene.writers.store(batch, 0).requests[0], { stored: 3, duplicates: 0, expired: [] })
  })

  test('because it is set aside is named, and closed', () => {
    using scene = openScene()
    const trouble: DayTrouble = { day: FIRST, kind: 'missing', sinceMs: 1, detail: 'gone' }
    scene.store(SECOND)
    scene.files.onOpen = (day) => {
      if (day === FIRST) throw new DaySetAsideError(trouble)
    }
    assert.deepEqual(scene.store(FIRST, SECOND), { setAside: [FIRST], stored: 0 })
    assert.deepEqual(scene.store(FIRST, THIRD), { setAside: [FIRST], stored: 1 })
    assert.deepEqual([scene.troubles, scene.busy()], [[trouble], [FIRST, SECOND, THIRD]])
    scene.writers.setAside(SECOND)
    assert.deepEqual(scene.open(), [THIRD])
  })

  test('because of a bug undoes the whole batch, and the bug is thrown as it is', () => {
    using scene = openScene()
    scene.store(FIRST)
    scene.files.onOpen = () => {
      throw new Error('a bug')
    }
    const batch = [[row(FIRST, 'n'), row(SECOND)]]
    assert.throws(() => scene.writers.store(batch, 0), /^Error: a bug$/)
    scene.files.onOpen = () => undefined
    assert.deepEqual(scene.writers.store(batch, 0).requests, [{ stored: 2, duplicates: 0, expired: [] }])
  })

  test('if control.db cannot be read, storage is unavailable', () => {
    using scene = openScene({
      isRemovedDomain() {
        throw failure(10)
      },
    })
    assert.throws(() => scene.store(FIRST), { code: 'storage_unavailable' })
  })

  test('and cannot even be rolled back is closed', () => {
    using scene = openScene()
    scene.store(FIRST)
    scene.files.onStatement = (sql) => {
      if (sql === 'COMMIT' || sql === 'ROLLBACK') throw failure(10)
    }
    assert.deepEqual(scene.writers.store([[row(FIRST, 'n')]], 0).requests, [{ setAside: [], stored: 0 }])
    assert.deepEqual([scene.open(), scene.busy()], [[], []])
    scene.files.onStatement = () => undefined
    assert.deepEqual(scene.writers.store([[row(FIRST, 'n')]], 0).requests, [STORED])
  })

  test('is unreadable after two errors of reading; others do not count', () => {
    using scene = openScene()
    for (const code of [10, 10, 266, 10]) assert.equal(scene.writers.setAsideIfDamaged(FIRST, failure(code)), false)
    for (const _ of [1, 2]) assert.equal(scene.writers.setAsideIfDamaged(FIRST, failure(266)), true)
  })
})

/** With a disk that has this many bytes free. */
function onDisk<T>(bytes: number, work: () => T): T {
  const { statfsSync } = fs
  Object.assign(fs, { statfsSync: () => ({ bavail: bytes, bsize: 1 }) })
  syncBuiltinESMExports()
  try {
    return work()
  } finally {
    Object.assign(fs, { statfsSync })
    syncBuiltinESMExports()
  }
}

describe('room on the disk', () => {
  /** Of a page in the WAL. */
  const FRAME = 4120
  const unavailable = { code: 'storage_unavailable' }

  test('is required for all days of a batch before the first is committed; one day is stored whole or not at all', () => {
    using scene = openScene()
    scene.files.pages = 1000
    assert.deepEqual(
      onDisk(0, () => scene.store(FIRST)),
      STORED,
    )
    assert.throws(() => onDisk(1000 * FRAME, () => scene.store(SECOND, THIRD)), unavailable)
    assert.deepEqual(scene.store(SECOND, THIRD), { stored: 2, duplicates: 0, expired: [] })
  })

  test('is required for no more pages than the cache has', () => {
    using scene = openScene()
    scene.files.pages = 100_000
    const many = Array.from({ length: 700 }, (_, index) => row(FIRST, `m${index}`))
    const bytes = (512 + 8192 + 512 + 12) * FRAME
    const store = (free: number) => onDisk(free, () => scene.writers.store([many, [row(SECOND)]], 0))
    assert.throws(() => store(bytes - 1), unavailable)
    assert.equal(store(bytes).commits.length, 2)
  })

  test('is checked for an event of each open day and of a new one', () => {
    using scene = openScene()
    scene.files.pages = 100_000
    scene.store(FIRST)
    const needed = (512 + 12 + 64) * FRAME
    for (const check of [() => scene.writers.requireRoom(), () => scene.writers.probe()]) {
      assert.throws(() => onDisk(needed - 1, check), unavailable)
      onDisk(needed, check)
    }
  })
})

test('a probe writes to every open day, and sets aside those that are damaged', () => {
  using scene = openScene()
  scene.store(FIRST)
  scene.store(SECOND)
  scene.writers.probe()
  let code = 10
  scene.files.onStatement = (sql, day) => {
    if (day === FIRST && sql.startsWith('PRAGMA user_version')) throw failure(code)
  }
  assert.throws(() => scene.writers.probe(), /failed/)
  assert.deepEqual(scene.troubles, [])
  code = 11
  scene.writers.probe()
  assert.deepEqual(
    scene.troubles.map(({ day }) => day),
    [FIRST],
  )
  assert.deepEqual(scene.open(), [SECOND])
})

describe('erasing', () => {
  const erasure = { domains: [1], keepsCounts: true }

  test('leaves a day open or closed as it was', () => {
    using scene = openScene()
    scene.store(FIRST, SECOND)
    scene.writers.release(SECOND)
    for (const day of [FIRST, SECOND]) assert.equal(scene.writers.erase(day, erasure).removed, 1)
    assert.deepEqual([scene.open(), scene.busy()], [[FIRST], [FIRST]])
    assert.equal(scene.writers.erase(FIRST, erasure).removed, 0)
    assert.deepEqual(scene.store(FIRST), STORED)
  })

  test('finds nothing in a day without a file, or one that is about to be removed', () => {
    using scene = openScene()
    scene.store(FIRST)
    scene.removed.add(FIRST)
    for (const day of [FIRST, SECOND]) assert.deepEqual(scene.writers.erase(day, erasure), NOTHING)
    assert.deepEqual(scene.files.listAll(), [FIRST])
    scene.removed.clear()
    assert.equal(scene.writers.erase(FIRST, erasure).removed, 1)
  })

  test('sets a damaged day aside, and reports other failures', () => {
    using scene = openScene()
    scene.store(FIRST)
    let code = 10
    scene.files.onStatement = (sql) => {
      if (sql.includes('secure_delete')) throw failure(code)
    }
    assert.throws(() => scene.writers.erase(FIRST, erasure), /failed/)
    code = 11
    assert.deepEqual(scene.writers.erase(FIRST, erasure), NOTHING)
    assert.deepEqual([scene.troubles.length, scene.busy(), scene.open()], [1, [FIRST], []])
  })
})

test('events of a day that is being rewritten are refused, and its file is closed', () => {
  using scene = openScene()
  scene.store(FIRST, SECOND)
  scene.writers.lock(FIRST)
  assert.deepEqual([scene.open(), scene.busy()], [[SECOND], [FIRST, SECOND]])
  assert.throws(() => scene.writers.store([[row(FIRST, 'n')]], 0), { code: 'overloaded' })
  assert.deepEqual(scene.writers.store([[row(SECOND, 'n')]], 0).requests, [STORED])
  scene.writers.unlock(FIRST)
  assert.deepEqual(scene.writers.store([[row(FIRST, 'n')]], 0).requests, [STORED])
})

test('an open day takes events until retention closes it; a closed one that was removed is not opened', () => {
  using scene = openScene()
  scene.store(FIRST)
  scene.removed.add(FIRST)
  assert.deepEqual(scene.writers.store([[row(FIRST, 'n')]], 0).requests, [STORED])
  scene.writers.release(FIRST)
  assert.deepEqual(scene.store(FIRST), { stored: 0, duplicates: 0, expired: [0] })
})

describe('compaction', () => {
  /** The first day is closed before it is compacted. */
  function fill(scene: ReturnType<typeof openScene>): void {
    for (const day of [FIRST, SECOND, THIRD, FOURTH]) scene.store(day)
    assert.deepEqual(
      [scene.open(), scene.busy()],
      [
        [SECOND, THIRD, FOURTH],
        [FIRST, SECOND, THIRD, FOURTH],
      ],
    )
  }

  test('begins when the first of the open days is idle', () => {
    using scene = openScene()
    assert.equal(scene.writers.compact(later()), undefined)
    for (const day of [SECOND, FIRST]) {
      scene.store(day)
      const startedMs = performance.now()
      while (performance.now() < startedMs + 2);
    }
    const now = performance.now()
    const all = scene.writers.compact(now) ?? 0
    scene.writers.release(SECOND)
    const ofNewer = scene.writers.compact(now) ?? 0
    assert.ok(all > 1000 && all <= ofNewer - 2 && ofNewer < 5000, `${all} and ${ofNewer} ms`)
    assert.equal(scene.writers.compact(later()), undefined)
  })

  test('opens a day that was closed before it was done, and closes it afterwards', () => {
    using scene = openScene()
    fill(scene)
    assert.equal(scene.writers.compact(later()), 0)
    assert.deepEqual(scene.open(), [FIRST, SECOND, THIRD, FOURTH])
    assert.equal(scene.writers.compact(later()), undefined)
    assert.deepEqual([scene.open(), scene.busy()], [DAYS.slice(1, 4), DAYS.slice(1, 4)])
    assert.equal(scene.writers.compact(later()), undefined)
    // What is compacted is not opened again.
    scene.store(DAYS[4])
    assert.deepEqual(scene.busy(), [THIRD, FOURTH, DAYS[4]])
  })

  test('has the day that it has opened closed first, if others are needed', () => {
    using scene = openScene()
    fill(scene)
    scene.writers.compact(later())
    scene.store(DAYS[4])
    assert.deepEqual([scene.open(), scene.busy()], [DAYS.slice(2), DAYS.slice(2)])
  })

  test('does not open a day that was removed, released or set aside', () => {
    for (const [what, leaveOut] of [
      ['removed', ({ removed }: ReturnType<typeof openScene>) => removed.add(FIRST)],
      ['released', ({ writers }: ReturnType<typeof openScene>) => writers.release(FIRST)],
      ['set aside', ({ writers }: ReturnType<typeof openScene>) => writers.setAside(FIRST)],
    ] as const) {
      using scene = openScene()
      fill(scene)
      leaveOut(scene)
      const opened: Day[] = []
      scene.files.onOpen = (day) => opened.push(day)
      assert.equal(scene.writers.compact(later()), what === 'removed' ? 0 : undefined, what)
      assert.equal(scene.writers.compact(later()), undefined, what)
      assert.deepEqual(opened, [], what)
    }
  })

  test('leaves a day as it is that cannot be opened, and sets it aside if it is damaged; a bug is thrown', () => {
    for (const [code, troubled] of [
      [14, []],
      [11, [FIRST]],
    ] as const) {
      using scene = openScene()
      fill(scene)
      scene.files.onOpen = () => {
        throw failure(code)
      }
      assert.equal(scene.writers.compact(later()), 0)
      assert.equal(scene.writers.compact(later()), undefined)
      assert.deepEqual(
        scene.troubles.map(({ day }) => day),
        troubled,
      )
    }
    using scene = openScene()
    fill(scene)
    scene.files.onOpen = () => {
      throw new Error('a bug')
    }
    assert.throws(() => scene.writers.compact(later()), /a bug/)
  })
})
