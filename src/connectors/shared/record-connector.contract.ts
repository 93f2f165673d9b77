/** The contract of every connector for JSON records: samples become the expected events, and no input makes it crash. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { Connector } from '../../events/ingest/connector.ts'
import { parseEvent } from '../../events/ingest/parse-event.ts'
import { AppError } from '../../lib/app-error.ts'
import { createSeededRandom } from '../../lib/seeded-random.ts'

const SAMPLES_MIN = 40
const MUTATIONS = 100_000
const ODD = ['null', '""', '-1', '1e400', '[]', '{}', 'true', '"\\ud800"', '"__proto__"', '"550 5.7.1 no"', '[[[]]]']

/**
 * Every pair of files in the folder is a record and the expected result: events, or the reason for its rejection.
 * `whyLeftOut`: why a record deliberately produces no events; `recipientsOf`: one event is expected for each.
 */
export function recordConnectorContract(
  connector: Connector,
  folder: string,
  { whyLeftOut = () => undefined, recipientsOf }: Conservation,
): void {
  const cases = globSync('*.in.json', { cwd: folder })
    .map((name) => name.replace(/\.in\.json$/, ''))
    .toSorted()
  const read = (name: string) => readFileSync(join(folder, name), 'utf8')

  describe('a record becomes the expected events', () => {
    assert.ok(cases.length >= SAMPLES_MIN)
    for (const name of cases) {
      test(name, () => {
        const outcome = outcomeOf(connector, JSON.parse(read(`${name}.in.json`)))
        assert.deepEqual(outcome, JSON.parse(read(`${name}.out.json`)))
      })
    }
  })

  test('every record is an event for each recipient, a rejection, or left out with a reason', () => {
    const mutate = createMutation(cases.map((name) => read(`${name}.in.json`)))
    const mutated = Array.from({ length: MUTATIONS / 10 }, () => parse(mutate())).filter(
      (record) => record !== undefined,
    )
    let leftOut = 0
    for (const record of [...cases.map((name) => JSON.parse(read(`${name}.in.json`)) as unknown), ...mutated]) {
      const outcome = outcomeOf(connector, record)
      if (!Array.isArray(outcome)) continue
      const isLeftOut = whyLeftOut(record) !== undefined
      leftOut += isLeftOut ? 1 : 0
      assert.equal(outcome.length, isLeftOut ? 0 : recipientsOf(record), JSON.stringify(record))
    }
    assert.ok(leftOut > 0 || whyLeftOut({}) === undefined)
  })

  test('100,000 mutated records become events, or are rejected with a reason', () => {
    const mutate = createMutation(cases.map((name) => read(`${name}.in.json`)))
    let events = 0
    for (let n = 0; n < MUTATIONS; n++) {
      const record = parse(mutate())
      if (record === undefined) continue
      const outcome = outcomeOf(connector, record)
      if (!Array.isArray(outcome)) continue
      for (const { event } of outcome as { event: object }[]) {
        events += isAccepted({ ...event, domain_name: 'acme.test' }) ? 1 : 0
      }
    }
    // Otherwise the mutations would only exercise rejections.
    assert.ok(events > MUTATIONS / 10, `${events}`)
  })
}

export interface Conservation {
  readonly whyLeftOut?: (record: unknown) => string | undefined
  readonly recipientsOf: (record: unknown) => number
}

function outcomeOf(connector: Connector, record: unknown): unknown {
  try {
    return connector.toEvents(record)
  } catch (error) {
    if (error instanceof AppError && error.code === 'invalid_payload') return { rejected: error.message }
    throw error
  }
}

/** Returns a new mutation at every call; most of them are still JSON. */
function createMutation(texts: readonly string[]): () => string {
  const random = createSeededRandom(20_261_115)
  const isRare = () => random.between(0, 5) === 0
  const names = [...new Set([...texts.flatMap((text) => text.match(/"\w+":/g) ?? []), '"toString":'])]
  return () => {
    const text = random.pick(texts)
    switch (random.between(0, 3)) {
      case 0: // A value replaced by one of another type.
        return text.replaceAll(/(?<=": )("(?:[^"\\]|\\.)*"|\d+)/g, (value) => (isRare() ? random.pick(ODD) : value))
      case 1: // A name replaced by another.
        return text.replaceAll(/"\w+":/g, (name) => (isRare() ? random.pick(names) : name))
      case 2: {
        // Characters replaced or removed.
        const at = random.between(0, text.length)
        return text.slice(0, at) + String.fromCharCode(random.between(32, 400)) + text.slice(at + random.between(0, 3))
      }
      default: // Two records merged.
        return text.slice(0, -3) + random.pick(texts).replace(/^\{/, ',')
    }
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** False if `parseEvent` rejects the event; any other failure fails the test. */
function isAccepted(event: object): boolean {
  try {
    parseEvent(event, 'service_message_id')
    return true
  } catch (error) {
    assert.ok(error instanceof AppError)
    return false
  }
}
