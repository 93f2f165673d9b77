/** What every connector of JSON records keeps: its samples become what stands beside them, and nothing makes it fail. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { createSeededRandom } from '../demo/seeded-random.ts'
import type { Connector } from '../events/connector.ts'
import { parseEvent } from '../events/parse-event.ts'
import { AppError } from '../lib/app-error.ts'

const SAMPLES_MIN = 40
const MUTATIONS = 100_000
const ODD = ['null', '""', '-1', '1e400', '[]', '{}', 'true', '"\\ud800"', '"__proto__"', '"550 5.7.1 no"', '[[[]]]']

/** Every pair of files in the folder is a record and what becomes of it: events, or the reason why it is refused. */
export function recordConnectorContract(connector: Connector, folder: string): void {
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

  test('100,000 mutated records become events, or are refused with a reason', () => {
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
    // Otherwise nothing but refusals was tried.
    assert.ok(events > MUTATIONS / 10, `${events}`)
  })
}

function outcomeOf(connector: Connector, record: unknown): unknown {
  try {
    return connector.toEvents(record)
  } catch (error) {
    if (error instanceof AppError && error.code === 'invalid_payload') return { rejected: error.message }
    throw error
  }
}

/** Another text at every call, most of them JSON still. */
function createMutation(texts: readonly string[]): () => string {
  const random = createSeededRandom(20_261_115)
  const pick = <T>(list: readonly T[]): T => list[random.between(0, list.length - 1)] as T
  const isRare = () => random.between(0, 5) === 0
  const names = [...new Set([...texts.flatMap((text) => text.match(/"\w+":/g) ?? []), '"toString":'])]
  return () => {
    const text = pick(texts)
    switch (random.between(0, 3)) {
      case 0: // A value replaced by another kind of value.
        return text.replaceAll(/(?<=": )("(?:[^"\\]|\\.)*"|\d+)/g, (value) => (isRare() ? pick(ODD) : value))
      case 1: // A name exchanged for another.
        return text.replaceAll(/"\w+":/g, (name) => (isRare() ? pick(names) : name))
      case 2: {
        // Bytes replaced or left out.
        const at = random.between(0, text.length)
        return text.slice(0, at) + String.fromCharCode(random.between(32, 400)) + text.slice(at + random.between(0, 3))
      }
      default: // Two records grafted together.
        return text.slice(0, -3) + pick(texts).replace(/^\{/, ',')
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

/** Only ever refused by our own check. */
function isAccepted(event: object): boolean {
  try {
    parseEvent(event, 'service_message_id')
    return true
  } catch (error) {
    assert.ok(error instanceof AppError)
    return false
  }
}
