import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { openTemporaryFolder } from '../../../test/harness/temporary-folder.ts'
import { AppError } from '../../lib/app-error.ts'
import { openCheckpoint } from '../../storage/sqlite/database/tail-checkpoint.ts'
import type { Feed } from './feeds/feed.ts'
import { runTail, type TailOptions } from './run-tail.ts'

/** Lines in separate portions; the position is their number so far. */
function feedOf(...portions: readonly (readonly string[])[]): Feed {
  let at = 0
  return {
    hasEnded: false,
    async next() {
      const lines = portions[at]
      at += 1
      return lines && { lines: lines.map((line) => Buffer.from(line)), changes: [['place', at]] }
    },
    async [Symbol.asyncDispose]() {},
  }
}

const refusal = () => new AppError('storage_unavailable', 'the disk is full')

function openTail(feed: Feed, send: (records: readonly string[]) => void) {
  const folder = openTemporaryFolder()
  const checkpoint = openCheckpoint(join(folder.path, 'place'), 'test')
  const stop = new AbortController()
  const waits: number[] = []
  const reports: string[] = []
  let releases = 0
  const destination: TailOptions['destination'] = {
    async ingest(_connector, records) {
      send(records.map(String))
      return { stored: records.length, duplicates: 0, rejected: [] }
    },
    async release() {
      releases += 1
    },
  }
  const options: TailOptions = {
    feed,
    interpreter: { interpret: (lines) => ({ records: lines, changes: [] }) },
    connector: 'test',
    destination,
    checkpoint,
    isOnce: true,
    signal: stop.signal,
    report: (words) => reports.push(words),
    wait: async (timeMs) => void waits.push(timeMs),
  }
  return {
    options,
    checkpoint,
    stop,
    waits,
    reports,
    releases: () => releases,
    [Symbol.dispose]() {
      checkpoint[Symbol.dispose]()
      folder[Symbol.dispose]()
    },
  }
}

describe('following', () => {
  test('the position is saved after the lines were stored, and not before', async () => {
    const seen: [string, unknown][] = []
    using tail = openTail(feedOf(['a'], ['b'], []), (records) =>
      seen.push([records.join(), tail.checkpoint.get('place')]),
    )
    assert.deepEqual(await runTail(tail.options), { stored: 2, duplicates: 0, rejected: 0 })
    assert.deepEqual(seen, [
      ['a', undefined],
      ['b', 1],
    ])
    assert.equal(tail.checkpoint.get('place'), 3)
  })

  test('a destination that cannot accept records is retried, with pauses that grow up to a minute', async () => {
    let calls = 0
    using tail = openTail(feedOf(['a']), () => {
      calls += 1
      if (calls <= 9) throw refusal()
    })
    assert.equal((await runTail(tail.options)).stored, 1)
    assert.deepEqual(tail.waits, [1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000, 60_000])
    assert.match(tail.reports[0] ?? '', /^the disk is full\. Retrying in 1 s\.$/)
  })

  test('lines that were not stored at a stop are read again the next time', async () => {
    using tail = openTail(feedOf(['a'], ['b']), ([record]) => {
      if (record === 'b') {
        tail.stop.abort()
        throw refusal()
      }
    })
    assert.deepEqual(await runTail(tail.options), { stored: 1, duplicates: 0, rejected: 0 })
    assert.equal(tail.checkpoint.get('place'), 1)
  })

  test('lines that were stored at a stop are not read again', async () => {
    using tail = openTail(feedOf(['a'], ['b']), () => tail.stop.abort())
    await runTail(tail.options)
    assert.equal(tail.checkpoint.get('place'), 1)
  })

  test('a bug is not retried', async () => {
    using tail = openTail(feedOf(['a']), () => {
      throw new TypeError('oops')
    })
    await assert.rejects(runTail(tail.options), TypeError)
  })

  test('large portions are sent in parts that a server takes', async () => {
    const sizes: number[] = []
    const big = 'x'.repeat(4 * 1024 * 1024)
    const many = Array.from({ length: 12_000 }, () => 'x')
    using tail = openTail(feedOf(many, [big, big, 'x']), (records) => sizes.push(records.length))
    await runTail(tail.options)
    assert.deepEqual(sizes, [5000, 5000, 2000, 1, 2])
  })

  test('without --once it waits for more until it is stopped', async () => {
    using tail = openTail(feedOf(['a']), () => undefined)
    const wait = async (timeMs: number) => {
      tail.waits.push(timeMs)
      if (tail.waits.length === 3) tail.stop.abort()
    }
    await runTail({ ...tail.options, isOnce: false, wait })
    assert.deepEqual(tail.waits, [500, 500, 500])
    assert.equal(tail.releases(), 1, 'a server can start while there is nothing to send')
  })

  test('losses are reported when they begin and whenever there are ten times as many, all others only counted', async () => {
    using tail = openTail(feedOf(['a'], ['b'], ['c'], ['d']), () => undefined)
    const interpret = () => ({ records: [], changes: [], leftOut: { sender_not_logged: 4, probe: 4 } })
    const counts = await runTail({ ...tail.options, interpreter: { interpret } })
    assert.deepEqual(counts, {
      stored: 0,
      duplicates: 0,
      rejected: 0,
      left_out: { sender_not_logged: 16, probe: 16 },
    })
    assert.deepEqual(tail.reports, [
      '4 outcomes left out: the log has no line with the sender of the message.',
      '12 outcomes left out: the log has no line with the sender of the message.',
    ])
  })

  test('what was left out with lines that were not stored is not counted', async () => {
    using tail = openTail(feedOf(['a']), () => {
      tail.stop.abort()
      throw refusal()
    })
    const interpret = (lines: readonly Buffer[]) => ({ records: lines, changes: [], leftOut: { probe: 1 } })
    const counts = await runTail({ ...tail.options, interpreter: { interpret } })
    assert.deepEqual(counts, { stored: 0, duplicates: 0, rejected: 0 })
  })
})
