import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { DAY, delivery, openMemoryScene } from '../../../test/harness/app/memory-scene.ts'
import type { Connector } from './connector.ts'
import { type IngestResult, ingestRecords } from './ingest-events.ts'
import { LOCAL, type Source } from './quarantine-room.ts'
import { toRawRecord } from './raw-record.ts'
import { type Intake, replayRejected } from './replay-rejected.ts'

const PLAIN: Connector = { name: 'plain', toEvents: (record) => [{ event: record }] }
const NOW_MS = 1

async function openReplay() {
  const { deps: own, acme, addDomain, addTenant } = await openMemoryScene()
  const ingest = { ...own, retentionMs: 90 * DAY * 1000, serviceMessageIdField: 'service_message_id' }
  /** Whole messages, each an event or several: the other way that records come in. */
  const taken: string[] = []
  const intake: Intake = {
    ingest(payload, source): Promise<IngestResult> {
      taken.push(source.kind)
      const values = JSON.parse(Buffer.from(payload).toString()) as object[]
      const records = values.map((value) => ({ ...toRawRecord(Buffer.from(JSON.stringify(value))), payload }))
      return ingestRecords(ingest, { ...PLAIN, name: 'message' }, records, { source })
    },
  }
  const deps = {
    ...ingest,
    connectors: new Map([['plain', PLAIN]]),
    intakes: new Map([['message', intake]]),
  }
  const quarantine = (
    connector: string,
    values: readonly unknown[],
    { source = LOCAL, tenantId }: { readonly source?: Source; readonly tenantId?: string } = {},
  ) =>
    own.quarantine.add(
      values.map((value) => ({
        payload: Buffer.from(JSON.stringify(value)),
        connector,
        source,
        reason: 'unknown domain',
        ...(tenantId !== undefined && { tenantId }),
      })),
      NOW_MS,
    )
  const left = async () => {
    const records = await own.quarantine.list({ afterId: 0, limit: 1000 })
    return records.map(({ payload }) => JSON.parse(Buffer.from(payload).toString()) as unknown)
  }
  return { deps, acme, addDomain, addTenant, quarantine, left, taken }
}

describe('replaying the quarantine', () => {
  test('stores what can be stored now and removes only that; counts say what became of each', async () => {
    const { deps, quarantine, left } = await openReplay()
    const [good, again, bad] = [delivery(), delivery({ id: 'm2' }), delivery({ id: 'm3', domain_name: 'other.test' })]
    await quarantine('plain', [good, bad, again])
    assert.deepEqual(await replayRejected(deps), { replayed: 3, stored: 2, duplicates: 0, rejected: 1 })
    assert.deepEqual(await left(), [bad])
    await quarantine('plain', [good])
    assert.deepEqual(await replayRejected(deps), { replayed: 2, stored: 0, duplicates: 1, rejected: 1 })
    assert.deepEqual(await left(), [bad])
  })

  test('an empty quarantine is not an error', async () => {
    const { deps } = await openReplay()
    assert.deepEqual(await replayRejected(deps), { replayed: 0, stored: 0, duplicates: 0, rejected: 0 })
  })

  test('records of a connector that this version does not have stay, and the others are replayed', async () => {
    const { deps, quarantine, left } = await openReplay()
    await quarantine('of another version', [delivery(), delivery({ id: 'm2' })])
    await quarantine('plain', [delivery({ id: 'm3' })])
    assert.deepEqual(await replayRejected(deps), { replayed: 3, stored: 1, duplicates: 0, rejected: 2 })
    assert.deepEqual(await left(), [delivery(), delivery({ id: 'm2' })])
  })

  test('whole messages go to their own intake, one by one, with their source', async () => {
    const { deps, quarantine, left, taken } = await openReplay()
    const other = delivery({ id: 'm5', domain_name: 'other.test' })
    const messages = [
      [delivery(), delivery({ id: 'm2' })],
      [delivery({ id: 'm3' }), delivery()],
      [delivery({ id: 'm4' }), other],
    ]
    await quarantine('message', messages, { source: { kind: 'smtp', name: '192.0.2.1' } })
    assert.deepEqual(await replayRejected(deps), { replayed: 3, stored: 4, duplicates: 1, rejected: 1 })
    // A message of which a part was rejected stays.
    assert.deepEqual(await left(), [messages[2]])
    assert.deepEqual(taken, ['smtp', 'smtp', 'smtp'])
  })

  test("a tenant's record is stored for no other tenant", async () => {
    const { deps, quarantine, left, addTenant, acme } = await openReplay()
    const stranger = await addTenant('stranger')
    await quarantine('plain', [delivery()], { tenantId: stranger.id })
    await quarantine('plain', [delivery({ id: 'm2' })], { tenantId: acme.id })
    assert.deepEqual(await replayRejected(deps), { replayed: 2, stored: 1, duplicates: 0, rejected: 1 })
    assert.deepEqual(await left(), [delivery()])
  })

  test('as many are read as there were at the start, or fewer if some are removed meanwhile', async () => {
    const { deps, quarantine } = await openReplay()
    await quarantine(
      'of another version',
      Array.from({ length: 1500 }, (_, index) => index),
    )
    const asked: object[] = []
    const replayOf = (count: number) => {
      asked.length = 0
      const store: typeof deps.quarantine = {
        ...deps.quarantine,
        count: async () => count,
        list(options) {
          asked.push(options)
          return deps.quarantine.list(options)
        },
      }
      return replayRejected({ ...deps, quarantine: store })
    }
    const ids = (await deps.quarantine.list({ afterId: 0, limit: 2000 })).map(({ id }) => id)
    assert.equal((await replayOf(1400)).replayed, 1400)
    assert.deepEqual(asked, [
      { afterId: 0, limit: 1000 },
      { afterId: ids[999], limit: 400 },
    ])
    assert.equal((await replayOf(1600)).replayed, 1500)
    assert.deepEqual(asked.at(-1), { afterId: ids[1499], limit: 100 })
  })

  test('more records than a page holds are all replayed, each once', async () => {
    const { deps, quarantine, left } = await openReplay()
    const events = Array.from({ length: 510 }, (_, index) => delivery({ id: `m${index}` }))
    const unknown = events.map((event) => ({ ...event, domain_name: 'other.test' }))
    await quarantine('plain', [...unknown, ...events])
    assert.deepEqual(await replayRejected(deps), { replayed: 1020, stored: 510, duplicates: 0, rejected: 510 })
    assert.deepEqual(await left(), unknown)
  })
})
