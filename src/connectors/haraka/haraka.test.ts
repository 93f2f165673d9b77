/** Every pair of files in testdata is a record and what becomes of it: events, or the reason why it is refused. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { type AppFixture, openAppFixture } from '../../../test/harness/app-fixture.ts'
import { createSeededRandom } from '../../demo/seeded-random.ts'
import { parseEvent } from '../../events/parse-event.ts'
import { AppError } from '../../lib/app-error.ts'
import { createKnowledge } from '../knowledge.ts'
import { createHaraka } from './haraka.ts'

const FOLDER = join(import.meta.dirname, 'testdata')
const haraka = createHaraka(createKnowledge())

function readJson(name: string): unknown {
  return JSON.parse(readFileSync(join(FOLDER, name), 'utf8'))
}

function outcomeOf(record: unknown): unknown {
  try {
    return haraka.toEvents(record)
  } catch (error) {
    if (error instanceof AppError && error.code === 'invalid_payload') return { rejected: error.message }
    throw error
  }
}

const cases = globSync('*.in.json', { cwd: FOLDER })
  .map((name) => name.replace(/\.in\.json$/, ''))
  .toSorted()

describe("a record of Haraka's plugin becomes the expected events", () => {
  assert.ok(cases.length >= 40)
  for (const name of cases) {
    test(name, () => assert.deepEqual(outcomeOf(readJson(`${name}.in.json`)), readJson(`${name}.out.json`)))
  }
})

test('100,000 mutated records become events, or are refused with a reason', () => {
  const texts = cases.map((name) => readFileSync(join(FOLDER, `${name}.in.json`), 'utf8'))
  const random = createSeededRandom(20_261_115)
  const pick = <T>(list: readonly T[]): T => list[random.between(0, list.length - 1)] as T
  const odd = ['null', '""', '-1', '1e400', '[]', '{}', 'true', '"\\ud800"', '"__proto__"', '"550 5.7.1 no"', '[[[]]]']
  let events = 0
  for (let n = 0; n < 100_000; n++) {
    const record = parse(mutate(pick(texts)))
    if (record === undefined) continue
    const outcome = outcomeOf(record)
    if (!Array.isArray(outcome)) continue
    for (const { event } of outcome as { event: object }[]) events += isAccepted({ ...event, domain_name: 'acme.test' })
  }
  assert.ok(events > 10_000)

  function mutate(text: string): string {
    switch (random.between(0, 3)) {
      case 0: // A value replaced by another kind of value.
        return text.replaceAll(/(?<=": )("(?:[^"\\]|\\.)*"|\d+)/g, (value) =>
          random.between(0, 5) === 0 ? pick(odd) : value,
        )
      case 1: // A name exchanged for another.
        return text.replaceAll(/"(\w+)":/g, (name) => (random.between(0, 5) === 0 ? `"${pick(NAMES)}":` : name))
      case 2: {
        // Bytes replaced or left out.
        const at = random.between(0, text.length)
        return text.slice(0, at) + String.fromCharCode(random.between(32, 400)) + text.slice(at + random.between(0, 3))
      }
      default: // Two records grafted together.
        return text.slice(0, -3) + pick(texts).replace(/^\{/, ',')
    }
  }
})

const NAMES = ['hook', 'recipients', 'error', 'time', 'id', 'tls', 'host', 'code', 'attempt', 'sender', 'toString']

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Only ever refused by our own check. */
function isAccepted(event: object): number {
  try {
    parseEvent(event, 'service_message_id')
    return 1
  } catch (error) {
    assert.ok(error instanceof AppError)
    return 0
  }
}

describe('POST /ingest/haraka', () => {
  let fixture: AppFixture
  before(async () => {
    fixture = await openAppFixture()
  })
  after(() => fixture[Symbol.asyncDispose]())

  test('stores an event for every recipient once, however often a record comes', async () => {
    const sample = readJson('02-reception-several-recipients.in.json') as object
    const payload = `${JSON.stringify({ ...sample, time: Math.floor(fixture.nowMs / 1000) - 60 })}\n`
    const post = async () => (await fixture.post('/ingest/haraka', fixture.operatorKey, { payload })).json<object>()
    assert.deepEqual(await post(), { stored: 3, duplicates: 0, rejected: [] })
    assert.deepEqual(await post(), { stored: 0, duplicates: 3, rejected: [] })
  })
})
