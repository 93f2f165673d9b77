/** Events survive the way through the columns: what was encoded is served as the SQLite engine serves it, byte for byte. */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import { hostileEvent } from '../../../../test/harness/storage/hostile-events.ts'
import type { EmailEvent } from '../../../events/event.ts'
import type { AttributedEvent } from '../../../events/log/event-log.ts'
import type { ShownFields } from '../../../events/log/log-query.ts'
import { systemClock } from '../../../lib/clock.ts'
import { attributedEvents } from '../../contract/event-arbitraries.ts'
import { attribute, freshDomains, openModel, queryOf } from '../../contract/log-scene.ts'
import { openSqliteStorage } from '../../sqlite/open-sqlite-storage.ts'
import type { Storage } from '../../storage.ts'
import { COLUMNS } from './columns.ts'
import { encodeEvents } from './encode-rows.ts'
import { foldedText, toEventRow } from './event-row.ts'
import { EventTexts, eventColumns } from './event-text.ts'

const SHOWN = ['interface', 'attempts', 'sending'] as const

let folder: string
let sqlite: Storage

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'envelog-rows-'))
  sqlite = await openSqliteStorage({ dataDir: folder, clock: systemClock, serviceMessageIdField: 'acme "id"' })
})

after(async () => {
  await sqlite?.close()
  await rm(folder, { recursive: true })
})

describe('an event that went through the columns', () => {
  for (const [what, arbitrary, numRuns] of [
    ['random events of the contract', attributedEvents, 60],
    ['texts that formats treat in their own way', fc.array(hostileEvent, { minLength: 1, maxLength: 4 }), 60],
  ] as const) {
    test(`is the text that the SQLite engine serves: ${what}`, async () => {
      await fc.assert(
        fc.asyncProperty(arbitrary as fc.Arbitrary<readonly AttributedEvent[]>, async (given) => {
          const domains = freshDomains()
          const events = attribute(given, domains)
          await sqlite.log.append(events)
          for (const shown of SHOWN) {
            const { events: expected } = await sqlite.log.list({ ...queryOf(domains, 100), shown })
            assert.deepEqual(readBack(events, domains, shown).toSorted(), expected.toSorted())
          }
        }),
        { numRuns },
      )
    })
  }

  test('an unpaired surrogate becomes the replacement character, as in UTF-8', () => {
    const [domain] = freshDomains()
    const event: EmailEvent = {
      id: 'a\ud800',
      timestamp: 1,
      type: 'Click',
      domain_name: 'a',
      recipient: '\udc00b',
      response_content: 'x'.repeat(100).concat('\ud800'),
    }
    const [served = ''] = readBack([{ domainNumber: domain.number, event }], [domain], 'interface')
    const read = JSON.parse(served) as EmailEvent
    assert.deepEqual([read.id, read.recipient], ['a\ufffd', '\ufffdb'])
    assert.equal(read.response_content, `${'x'.repeat(100)}\ufffd`)
  })

  test('a number that does not fit its column is refused, not stored as another one', () => {
    const event: EmailEvent = { id: 'a', timestamp: 2 ** 32, type: 'Click', domain_name: 'a', recipient: 'b@c' }
    assert.throws(() => encodeEvents([toEventRow({ domainNumber: 1, event })], 1), RangeError)
    const other = { ...event, timestamp: 1 }
    assert.throws(() => encodeEvents([toEventRow({ domainNumber: 2 ** 32, event: other })], 1), RangeError)
  })

  test('the same rows are the same bytes', () => {
    fc.assert(
      fc.property(fc.array(hostileEvent, { maxLength: 3 }), (events) => {
        const encode = () => encodeEvents(events.map(toEventRow), 7)
        assert.deepEqual(encode(), encode())
      }),
      { numRuns: 20 },
    )
  })
})

describe('the key of an event', () => {
  test('is equal for two events exactly if the log takes them for the same', async () => {
    await fc.assert(
      fc.asyncProperty(attributedEvents, async (given) => {
        const events = attribute(given, freshDomains())
        const { stored } = await openModel().append(events)
        assert.equal(new Set(events.map((event) => toEventRow(event).key)).size, stored)
      }),
      { numRuns: 300 },
    )
  })

  test('differs for texts that would be the same one after the other', () => {
    const event: EmailEvent = { id: 'ab', timestamp: 1, type: 'Click', domain_name: 'a', recipient: 'c@d' }
    const variants: EmailEvent[] = [
      event,
      { ...event, id: 'a', recipient: 'bc@d' },
      { ...event, recipient: 'c@', sender: 'd' },
      { ...event, recipient: 'c@', subject: 'd' },
      { ...event, recipient: 'c@', response_content: 'd' },
      { ...event, recipient: 'c@', service_message_id: 'd' },
      { ...event, sender: '' },
      { ...event, subject: '' },
      { ...event, response_content: '' },
      { ...event, service_message_id: '' },
      { ...event, size: 0 },
      { ...event, response_code: 0 },
      { ...event, campaign: null },
      { ...event, campaign: '' },
      { ...event, timestamp: 0 },
    ]
    const keys = variants.map((variant) => toEventRow({ domainNumber: 1, event: variant }).key)
    assert.equal(new Set([...keys, toEventRow({ domainNumber: 2, event }).key]).size, variants.length + 1)
  })

  test('is stored: it stays the same in every version', () => {
    const event: EmailEvent = {
      id: 'message-1@a.test',
      timestamp: 1_772_323_207,
      type: 'Bounce',
      domain_name: 'a.test',
      recipient: 'jörg@b.test',
      sender: '',
      from: 'Acme <a@a.test>',
      subject: 'Your order',
      response_code: 550,
      response_content: '5.1.1 unknown',
      response_enhanced_code: '5.1.1',
      provider_name: 'Google',
      peer_name: 'mx.b.test',
      bounce_classification: 'InvalidRecipient',
      num_attempts: 2,
      size: 12_345,
      service_message_id: 'sm-1',
      direction: 'outbound',
      campaign: null,
      reception_protocol: 'HTTP',
      delivery_protocol: 'ESMTP',
      tls_protocol_version: 'TLSv1.3',
      tls_cipher: 'TLS_AES_256_GCM_SHA384',
    }
    const extension = { url: 'https://a.test/', machine: 'head', sending_address: '192.0.2.1' }
    assert.equal(toEventRow({ domainNumber: 3, event, extension }).key, 6_789_862_267_723_928_668n)
    const { id, timestamp, type, domain_name, recipient } = event
    const bare = { id, timestamp, type, domain_name, recipient }
    assert.equal(toEventRow({ domainNumber: 3, event: bare }).key, 8_197_390_255_681_907_755n)
  })
})

test('folded texts are kept only where replacing A to Z is not enough', () => {
  assert.deepEqual(
    ['', 'Order', '日本語', 'Straße A', undefined].map((each) => foldedText(each)),
    ['', '', '', '', ''],
  )
  assert.equal(foldedText('ÄRZTE'), 'ärzte')
  assert.equal(foldedText('\u212a'), 'k')
})

/** What a server would return for the encoded events, put together again. */
function readBack(
  events: readonly AttributedEvent[],
  domains: Parameters<typeof queryOf>[0],
  shown: ShownFields,
): readonly string[] {
  const known = new Set<bigint>()
  const rows = events.map(toEventRow).filter(({ key }) => !known.has(key) && known.add(key))
  const names = eventColumns(shown).split(', ')
  const texts = new EventTexts('acme "id"', domains, shown)
  return decode(encodeEvents(rows, 1)).map((row) => texts.read(names.map((name) => row.get(name) ?? '')).text)
}

/** RowBinary, as documented by ClickHouse. */
function decode(encoded: Uint8Array): readonly ReadonlyMap<string, string>[] {
  const bytes = Buffer.from(encoded)
  const rows: Map<string, string>[] = []
  let at = 0
  while (at < bytes.length) {
    rows.push(new Map(COLUMNS.event.map(({ name, type }) => [name, type === 'String' ? takeText() : takeNumber(type)])))
  }
  return rows

  function take(length: number): Buffer {
    at += length
    return bytes.subarray(at - length, at)
  }

  /** Such as `UInt16`. */
  function takeNumber(type: string): string {
    const own = take(Number(type.slice('UInt'.length)) / 8)
    return String(own.reduceRight((number, byte) => number * 256n + BigInt(byte), 0n))
  }

  function takeText(): string {
    let length = 0
    for (let shift = 0; ; shift += 7) {
      const byte = take(1).readUInt8()
      length |= (byte & 127) << shift
      if (byte < 128) return take(length).toString()
    }
  }
}
