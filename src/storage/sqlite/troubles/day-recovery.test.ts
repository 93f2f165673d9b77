/** Which threads hear of days that are set aside, and when such days are used again. Calls of the writing thread are recorded instead of made. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openTemporaryFolder } from '../../../../test/harness/temporary-folder.ts'
import type { DayTrouble, TroubleKind } from '../../storage.ts'
import { openControlDatabase } from '../control/control-database.ts'
import { endOfDayMs } from '../days/day.ts'
import { DayFiles } from '../days/day-files.ts'
import type { WriterCall } from '../writing/writer-protocol.ts'
import { DayRecovery } from './day-recovery.ts'
import { DayTroubles } from './day-troubles.ts'

const [ONE, TWO, THREE] = ['2026-03-01', '2026-03-02', '2026-03-03'] as const

function troubleOf(day: string, kind: TroubleKind): DayTrouble {
  return { day, kind, sinceMs: 1, detail: 'x' }
}

function openScene({ found = [] as readonly DayTrouble[], isWriterGone = false } = {}) {
  const folder = openTemporaryFolder()
  const control = openControlDatabase(folder.path)
  const troubles = new DayTroubles(control)
  for (const trouble of found) troubles.note(trouble)
  const told: string[] = []
  const call = async (asked: WriterCall) => {
    const day = 'trouble' in asked ? asked.trouble.day : 'day' in asked ? asked.day : ''
    told.push(`writer ${asked.kind} ${day}`.trim())
    // The answer of another thread takes a while.
    await new Promise(setImmediate)
    if (isWriterGone) throw new Error('the thread has ended')
    if (asked.kind === 'acceptDay') troubles.clear(asked.day)
    return undefined
  }
  const recovery = new DayRecovery({
    dataDir: folder.path,
    folder: { files: new DayFiles(folder.path, troubles), troubles },
    users: {
      call,
      setAside: (day) => void told.push(`readers aside ${day}`),
      takeBack: (day) => void told.push(`readers back ${day}`),
      closeDay: async (day) => void told.push(`readers close ${day}`),
    },
    clock: () => 7,
    delays: { firstMs: 600_000, maxMs: 600_000 },
  })
  const close = async () => {
    await recovery.close()
    control.close()
    folder[Symbol.dispose]()
  }
  return { recovery, troubles, told, [Symbol.asyncDispose]: close }
}

describe('a day that is set aside', () => {
  test('is announced once to every thread, except to the one that found it', async () => {
    await using scene = openScene()
    const { recovery, told } = scene
    recovery.setAside(troubleOf(ONE, 'damaged'))
    recovery.setAside(troubleOf(ONE, 'missing'))
    recovery.setAside(troubleOf(TWO, 'damaged'), { isWriterTold: true })
    assert.deepEqual(told, [`readers aside ${ONE}`, `writer setAside ${ONE}`, `readers aside ${TWO}`])
    assert.deepEqual([recovery.find(ONE)?.kind, recovery.list.map(({ day }) => day)], ['damaged', [TWO, ONE]])
    recovery.tellWriter()
    assert.deepEqual(told.slice(3), [`writer setAside ${TWO}`, `writer setAside ${ONE}`])
  })

  test('is remembered as unreadable until more is known of it', async () => {
    await using scene = openScene()
    const { recovery, troubles } = scene
    recovery.setAside(troubleOf(ONE, 'unreadable'))
    assert.equal(troubles.find(ONE)?.kind, 'unreadable')
    recovery.setAside(troubleOf(ONE, 'damaged'))
    assert.equal(recovery.find(ONE)?.kind, 'damaged')
    assert.equal(troubles.find(ONE), undefined)
  })

  test('at the start is known, and the writing thread learns of the unreadable ones', async () => {
    await using scene = openScene({ found: [troubleOf(ONE, 'damaged'), troubleOf(TWO, 'unreadable')] })
    const { recovery, told } = scene
    const followed: string[] = []
    recovery.follow(({ day }) => void followed.push(day))
    recovery.begin()
    assert.deepEqual([told, followed], [[`writer setAside ${TWO}`], [TWO, ONE]])
  })

  test('is so although the writing thread cannot be told', async () => {
    await using scene = openScene({ isWriterGone: true })
    scene.recovery.setAside(troubleOf(ONE, 'damaged'))
    scene.recovery.tellWriter()
    for (let turns = 0; turns < 3; turns++) await new Promise(setImmediate)
    assert.equal(scene.recovery.find(ONE)?.kind, 'damaged')
  })
})

test('an accepted day is used again, and those who follow hear of it', async () => {
  await using scene = openScene({ found: [troubleOf(ONE, 'missing'), troubleOf(TWO, 'missing')] })
  const { recovery, told } = scene
  const back: string[] = []
  recovery.follow(
    () => undefined,
    ({ day }) => void back.push(day),
  )
  await recovery.accept(ONE)
  assert.deepEqual(told, [`writer acceptDay ${ONE}`, `readers back ${ONE}`])
  assert.deepEqual([recovery.list.map(({ day }) => day), back, recovery.takenBack], [[TWO], [ONE], 1])
})

test('what the writing thread has noted counts, although its call has failed', async () => {
  await using scene = openScene({ found: [troubleOf(ONE, 'missing')], isWriterGone: true })
  const { recovery, troubles, told } = scene
  troubles.clear(ONE)
  troubles.note(troubleOf(TWO, 'damaged'))
  await assert.rejects(recovery.check(), /the thread has ended/)
  assert.deepEqual(told, ['writer checkDays', `readers aside ${TWO}`, `readers back ${ONE}`])
  assert.deepEqual(
    recovery.list.map(({ day }) => day),
    [TWO],
  )
})

describe('before retention', () => {
  test('missing and emptied days that it removes are accepted; later ones and those that are whole are not', async () => {
    const found = [troubleOf(ONE, 'missing'), troubleOf(TWO, 'emptied'), troubleOf(THREE, 'missing')]
    await using scene = openScene({ found: [...found, troubleOf('2026-02-28', 'foreign')] })
    await scene.recovery.settleBefore(endOfDayMs(TWO))
    assert.deepEqual(
      scene.recovery.list.map(({ day }) => day),
      [THREE, '2026-02-28'],
    )
    await scene.recovery.settleBefore(endOfDayMs(THREE) - 1)
    assert.equal(scene.recovery.find(THREE)?.kind, 'missing')
  })

  test('days that cannot be settled stay set aside, and the others are tried', async () => {
    // There is no file that could be repaired.
    await using scene = openScene({ found: [troubleOf(TWO, 'damaged'), troubleOf(ONE, 'missing')] })
    await scene.recovery.settleBefore(endOfDayMs(TWO))
    assert.deepEqual(
      scene.recovery.list.map(({ day, kind }) => [day, kind]),
      [[TWO, 'damaged']],
    )
  })
})

test('a repair that cannot begin leaves everything as it was, and the next one is not kept from running', async () => {
  await using scene = openScene({ found: [troubleOf(ONE, 'foreign'), troubleOf(TWO, 'newer')] })
  const { recovery, told } = scene
  await assert.rejects(recovery.repair(ONE), /is not damaged/)
  await assert.rejects(recovery.repair(TWO), /is not damaged/)
  assert.deepEqual(told, [])
  await assert.rejects(recovery.repair(THREE))
  assert.equal(recovery.find(THREE), undefined)
})
