/** When days that are set aside are read again and repaired, and who hears of it. The work itself is recorded instead of done. */
import assert from 'node:assert/strict'
import { describe, mock, test } from 'node:test'
import { openTemporaryFolder } from '../../../../test/harness/temporary-folder.ts'
import type { DayRepair, DayTrouble, TroubleKind } from '../../storage.ts'
import { openControlDatabase } from '../control/control-database.ts'
import type { Day } from '../days/day.ts'
import { endOfDayMs } from '../days/day.ts'
import { DayFiles } from '../days/day-files.ts'
import type { Finding } from '../manifest/examine-day.ts'
import type { WriterCall } from '../writing/writer-protocol.ts'
import { DayRecovery, type DayRecoveryDeps } from './day-recovery.ts'
import { DayTroubles } from './day-troubles.ts'

const [ONE, TWO, THREE] = ['2026-03-01', '2026-03-02', '2026-03-03'] as const
const FIRST_MS = 500

const troubleOf = (day: Day, kind: TroubleKind): DayTrouble => ({ day, kind, sinceMs: 1, detail: 'x' })
const own = (day: Day): Finding => ({ day, verdict: 'own', events: 1, highestNumber: 1 })
const unreadable = (day: Day): Finding => ({ day, verdict: 'unreadable', detail: 'EIO', highestNumber: 0 })

type Work = NonNullable<DayRecoveryDeps['work']>

function openScene(found: readonly DayTrouble[] = []) {
  const folder = openTemporaryFolder()
  const control = openControlDatabase(folder.path)
  const troubles = new DayTroubles(control)
  for (const trouble of found) troubles.note(trouble)
  const told: string[] = []
  const work = {
    check: async (day: Day, _signal: AbortSignal): Promise<Finding | undefined> => own(day),
    repair: async (_day: Day, _signal: AbortSignal): Promise<void> => undefined,
  }
  const check: Work['check'] = async ({ day }, signal) => {
    told.push(`check ${day}`)
    return work.check(day, signal)
  }
  const repair: Work['repair'] = async ({ setAside, takeBack, signal }, day) => {
    await setAside(day)
    told.push(`repair ${day}`)
    await work.repair(day, signal)
    await takeBack(day)
    return { day } as DayRepair
  }
  async function call(asked: WriterCall): Promise<void> {
    if (asked.kind === 'setAside') told.push(`writer aside ${asked.trouble.day} ${asked.trouble.kind}`)
    else told.push(`writer ${asked.kind}${'day' in asked ? ` ${asked.day}` : ''}`)
    await new Promise(setImmediate)
    if (asked.kind === 'recordFinding') troubles.clear(asked.finding.day)
  }
  const recovery = new DayRecovery({
    dataDir: folder.path,
    folder: { files: new DayFiles(folder.path, troubles), troubles },
    users: {
      call,
      setAside: (day) => void told.push(`readers aside ${day}`),
      takeBack: (day) => void told.push(`readers back ${day}`),
      closeDay: async (day) => {
        await new Promise(setImmediate)
        told.push(`readers close ${day}`)
      },
    },
    clock: () => 7,
    delays: { firstMs: FIRST_MS, maxMs: 10_000 },
    work: { check, repair },
  })
  return {
    recovery,
    troubles,
    told,
    work,
    kinds: () => recovery.list.map(({ day, kind }) => [day, kind]),
    async [Symbol.asyncDispose]() {
      await recovery.close()
      control.close()
      folder[Symbol.dispose]()
    },
  }
}

/** Enough turns for everything that was begun. */
async function settle(): Promise<void> {
  for (let turns = 0; turns < 20; turns++) await new Promise(setImmediate)
}

describe('an unreadable day', () => {
  test('is read again after a while, when no reader has it open, and used again', async () => {
    mock.timers.enable({ apis: ['setTimeout'] })
    try {
      await using scene = openScene([troubleOf(ONE, 'unreadable')])
      const { recovery, told } = scene
      recovery.begin()
      recovery.setAside(troubleOf(TWO, 'unreadable'))
      await settle()
      told.length = 0
      mock.timers.tick(FIRST_MS)
      await settle()
      const attempt = (day: Day) => [
        `readers close ${day}`,
        `check ${day}`,
        'writer recordFinding',
        `readers back ${day}`,
      ]
      assert.deepEqual(told, [...attempt(ONE), ...attempt(TWO)])
      assert.deepEqual([scene.kinds(), scene.troubles.list()], [[], []])
      mock.timers.tick(10 * FIRST_MS)
      await settle()
      assert.equal(told.length, 8)
    } finally {
      mock.timers.reset()
    }
  })

  test('is read again later if the disk still fails, but not once it is known to be damaged or the service closes', async () => {
    mock.timers.enable({ apis: ['setTimeout'] })
    try {
      const scene = openScene()
      const { recovery, told } = scene
      scene.work.check = async (day) => unreadable(day)
      for (const day of [ONE, TWO]) recovery.setAside(troubleOf(day, 'unreadable'))
      const checks = () => told.filter((text) => text.startsWith('check'))
      for (const waitMs of [FIRST_MS, 2 * FIRST_MS]) {
        mock.timers.tick(waitMs)
        await settle()
      }
      assert.deepEqual(
        checks(),
        [ONE, TWO, ONE, TWO].map((day) => `check ${day}`),
      )
      assert.ok(!told.includes('writer recordFinding'))
      recovery.setAside(troubleOf(ONE, 'damaged'))
      mock.timers.tick(4 * FIRST_MS)
      await settle()
      assert.equal(checks().length, 5)
      await scene[Symbol.asyncDispose]()
      mock.timers.tick(100 * FIRST_MS)
      await settle()
      assert.equal(checks().length, 5)
    } finally {
      mock.timers.reset()
    }
  })

  test('is read at once if somebody asks, others are not; a failure of that is none of the whole check', async () => {
    await using scene = openScene([
      troubleOf(ONE, 'unreadable'),
      troubleOf(TWO, 'damaged'),
      troubleOf(THREE, 'unreadable'),
    ])
    scene.work.check = async (day) => {
      if (day === THREE) throw new Error('the thread has ended')
      return own(day)
    }
    await scene.recovery.check()
    assert.deepEqual(
      scene.told.filter((text) => !text.startsWith('readers')),
      [`check ${THREE}`, `check ${ONE}`, 'writer recordFinding', 'writer checkDays'],
    )
    assert.deepEqual(scene.kinds(), [
      [THREE, 'unreadable'],
      [TWO, 'damaged'],
    ])
  })

  test('is not read if it was found to be damaged before its turn came', async () => {
    await using scene = openScene([troubleOf(ONE, 'unreadable'), troubleOf(TWO, 'unreadable')])
    scene.work.check = async (day) => {
      scene.recovery.setAside(troubleOf(ONE, 'damaged'))
      return own(day)
    }
    await scene.recovery.check()
    assert.ok(scene.told.includes(`check ${TWO}`) && !scene.told.includes(`check ${ONE}`))
  })

  test('that has no file any more is left to the comparison with the list of days', async () => {
    await using scene = openScene([troubleOf(ONE, 'unreadable')])
    scene.work.check = async () => undefined
    await scene.recovery.check()
    assert.deepEqual(
      scene.told.filter((text) => text.startsWith('writer')),
      ['writer checkDays', 'writer checkDays'],
    )
    assert.equal(scene.troubles.find(ONE), undefined)
  })
})

test('repairs and checks are done one after the other, and closing waits for the one that runs', async () => {
  await using scene = openScene([troubleOf(ONE, 'damaged'), troubleOf(TWO, 'unreadable')])
  const begun = Promise.withResolvers<AbortSignal>()
  const rest = Promise.withResolvers<void>()
  scene.work.repair = async (_, signal) => {
    begun.resolve(signal)
    await rest.promise
  }
  const repairing = scene.recovery.repair(ONE)
  const checking = scene.recovery.check()
  const signal = await begun.promise
  await settle()
  assert.ok(!scene.told.includes(`check ${TWO}`))
  assert.equal(signal.aborted, false)
  let isClosed = false
  const closing = scene.recovery.close().then(() => {
    isClosed = true
  })
  await settle()
  assert.deepEqual([isClosed, signal.aborted], [false, true])
  rest.resolve()
  await Promise.all([repairing, checking, closing])
})

describe('a repair', () => {
  const REPAIRED = [`repair ${ONE}`, `writer takeBack ${ONE}`, `readers back ${ONE}`]
  const asideAs = (kind: TroubleKind) => [`readers aside ${ONE}`, `writer aside ${ONE} ${kind}`, `readers close ${ONE}`]

  test('begins when all threads have the day set aside, and ends with its use', async () => {
    for (const kind of [undefined, 'damaged', 'unreadable'] as const) {
      await using scene = openScene(kind ? [troubleOf(ONE, kind)] : [])
      await scene.recovery.repair(ONE)
      assert.deepEqual(scene.told, [...asideAs(kind ?? 'damaged'), ...REPAIRED])
      assert.equal(scene.recovery.find(ONE), undefined)
      if (kind === 'unreadable') assert.equal(scene.troubles.find(ONE), undefined)
    }
  })

  test('is seen by those who follow, also of a day that had no trouble', async () => {
    await using scene = openScene()
    const kinds: (string | undefined)[] = []
    scene.work.repair = async () => void kinds.push(scene.recovery.find(ONE)?.kind)
    await scene.recovery.repair(ONE)
    assert.deepEqual(kinds, ['damaged'])
  })

  test('that fails leaves a day set aside that was, and has a day used again that was used', async () => {
    const failing = async () => {
      throw new Error('no room')
    }
    for (const [found, isBack] of [
      [[], true],
      [[troubleOf(ONE, 'damaged')], false],
    ] as const) {
      await using scene = openScene(found)
      scene.work.repair = failing
      await assert.rejects(scene.recovery.repair(ONE), /no room/)
      assert.equal(scene.told.includes(`readers back ${ONE}`), isBack)
      assert.equal(scene.recovery.find(ONE) === undefined, isBack)
    }
  })

  test('that is interrupted by the end of the service takes nothing back', async () => {
    await using scene = openScene()
    scene.work.repair = async (_, signal) => {
      void scene.recovery.close()
      signal.throwIfAborted()
    }
    await assert.rejects(scene.recovery.repair(ONE))
    assert.deepEqual(scene.told, [...asideAs('damaged'), `repair ${ONE}`])
  })
})

test('before retention, a damaged day is repaired', async () => {
  await using scene = openScene([troubleOf(ONE, 'damaged'), troubleOf(TWO, 'unreadable')])
  await scene.recovery.settleBefore(endOfDayMs(THREE))
  assert.ok(scene.told.includes(`repair ${ONE}`) && !scene.told.includes(`repair ${TWO}`))
  assert.deepEqual(scene.kinds(), [[TWO, 'unreadable']])
})

test('days that are still set aside after one was accepted stay so', async () => {
  await using scene = openScene([ONE, TWO, THREE].map((day) => troubleOf(day, 'missing')))
  scene.troubles.clear(ONE)
  await scene.recovery.accept(ONE)
  assert.deepEqual(scene.kinds(), [
    [THREE, 'missing'],
    [TWO, 'missing'],
  ])
})
