/** What tying a report may cost, and what it then does without: a report is written by strangers. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sampleDomain } from '../../test/harness/app/sample-domain.ts'
import type { EventLog } from '../events/log/event-log.ts'
import { createSigner } from '../lib/sealing/signer.ts'
import { createReferences } from './reference.ts'
import type { DeliveryReport, FeedbackReport } from './report.ts'
import { makeFullReference } from './return-path.ts'
import { NAMED_ONLY, TIE_LIMITS, TieBudget } from './tie-budget.ts'
import { tieReport } from './tie-report.ts'

const ID = '01890a5d-ac96-774b-bcce-b302099a8057'
const BOB = 'bob@example.org'
const references = createReferences(createSigner(Buffer.alloc(32, 7), 'report reference'))
const NEXT = 'next'
const genuine = makeFullReference(references, { domain: 'acme.test', messageId: ID, recipient: BOB })
const forWhole = makeFullReference(references, { domain: 'acme.test', messageId: ID })
const forged = (n: number, domain = 'acme.test') => `lmessage-${n}-${'0'.repeat(20)}=${domain}`

function listOf(count: number, make: (n: number) => string): readonly string[] {
  return Array.from({ length: count }, (_, n) => make(n))
}

/** A log with one message, by its recipients, newest first, and a count of what is read of it. */
function openScene({ messageId = ID, recipients = [] as readonly string[], allowsUnsigned = true } = {}) {
  const reads = { messages: 0, lookups: 0 }
  const textOf = (recipient: string) => JSON.stringify({ recipient })
  const log: Pick<EventLog, 'listMessage' | 'list'> = {
    async listMessage(query) {
      reads.messages++
      const own = query.messageId === messageId && query.domains[0]?.name === 'acme.test' ? recipients : []
      return { events: own.map(textOf) }
    },
    async list({ filters }) {
      reads.lookups++
      return { events: recipients.filter((recipient) => recipient === filters.recipient).map(textOf) }
    },
  }
  const known = new Map(
    ['acme.test', 'rival.test'].map((name, index) => [
      name,
      { ...sampleDomain('t1', name, { isApproved: true, isVerified: true }), number: index + 1 },
    ]),
  )
  const domains = { findByName: async (name: string) => known.get(name) }
  const find = (report: DeliveryReport | FeedbackReport, budget = new TieBudget()) =>
    tieReport({ references, domains, log, allowsUnsigned }, report, budget)
  const tie = async (...asked: Parameters<typeof find>) => {
    const result = await find(...asked)
    return 'tie' in result ? result.tie : undefined
  }
  return { reads, find, tie }
}

function failure(returned: Partial<DeliveryReport['returned']>, named = [BOB] as readonly string[]): DeliveryReport {
  const outcomes = named.map((address) => ({ addresses: [address], action: 'failed' as const }))
  return { kind: 'delivery', sentTo: [], times: [], returned: { to: [], references: [], ...returned }, outcomes }
}

describe('of the references in a report', () => {
  const isTied = async (mentioned: readonly string[]) =>
    (await openScene().tie(failure({ references: mentioned }))) !== undefined

  test('the first ten of domains here are verified', async () => {
    assert.equal(await isTied([...listOf(TIE_LIMITS.references - 1, forged), genuine]), true)
    assert.equal(await isTied([...listOf(TIE_LIMITS.references, forged), genuine]), false)
  })

  test('those of other domains and repeated ones do not count, but only twenty mentions are considered', async () => {
    const elsewhere = listOf(19, (n) => forged(n, 'elsewhere.test'))
    assert.equal(await isTied([...elsewhere, genuine]), true)
    assert.equal(await isTied([...elsewhere, forged(0), genuine]), false)
    assert.equal(await isTied([...listOf(19, () => forged(0)), genuine]), true)
  })
})

describe('the recipients of a message', () => {
  const named = listOf(50, (n) => `r${n}@example.org`)
  const report = failure({ references: [forWhole] }, named)

  test('are all known if the log has no more events of it than a report may read', async () => {
    const { tie, reads } = openScene({ recipients: listOf(TIE_LIMITS.events, (n) => `r${n}@example.org`) })
    const known = (await tie(report))?.known
    assert.deepEqual([known?.isComplete, known?.recipients.size], [true, TIE_LIMITS.events])
    assert.deepEqual(reads, { messages: 1, lookups: 0 })
  })

  test('are those read and those looked up if it has more; a report that names many gets few of them', async () => {
    const others = listOf(TIE_LIMITS.events, (n) => `other${n}@example.org`)
    const { tie, reads } = openScene({ recipients: [...others, ...named] })
    const known = (await tie(report))?.known
    assert.deepEqual([known?.isComplete, known?.recipients.size], [false, TIE_LIMITS.events + TIE_LIMITS.lookups])
    assert.equal(reads.lookups, TIE_LIMITS.lookups)
    assert.ok(known?.recipients.has('r9@example.org'))
  })

  test('are looked up only if they are not among those read', async () => {
    const others = listOf(TIE_LIMITS.events - 1, (n) => `other${n}@example.org`)
    const { tie, reads } = openScene({ recipients: ['R0@example.org', ...others, BOB] })
    const known = (await tie(failure({ references: [forWhole] }, ['r0@example.org', BOB])))?.known
    assert.equal(reads.lookups, 1)
    assert.deepEqual([known?.recipients.get('r0@example.org'), known?.recipients.get(BOB)], ['R0@example.org', BOB])
  })

  test('are not read if the reference was signed for the one that the report names', async () => {
    const { tie, reads } = openScene({ recipients: [BOB] })
    const found = await tie(failure({ references: [genuine] }))
    assert.deepEqual([found?.recipient, found?.isSigned], [BOB, true])
    assert.deepEqual(found?.known, { recipients: new Map(), isComplete: false })
    const traced = await tie(failure({ references: [genuine], trace: { recipient: BOB } }, []))
    assert.equal(traced?.recipient, BOB)
    assert.deepEqual(reads, { messages: 0, lookups: 0 })
  })

  test('are not read by those that may look up only what a report names', async () => {
    const { tie, reads } = openScene({ recipients: [BOB] })
    const only = () => new TieBudget(NAMED_ONLY)
    assert.equal(await tie(failure({ references: [genuine] }, ['eve@example.org']), only()), undefined)
    assert.deepEqual(reads, { messages: 0, lookups: 0 })
    const found = await tie(failure({ references: [forWhole] }), only())
    assert.deepEqual(found?.known, { recipients: new Map([[BOB, BOB]]), isComplete: false })
    assert.deepEqual(reads, { messages: 0, lookups: 1 })
  })

  test('are read a page at a time, and no further than a report may', async () => {
    const pages = [listOf(TIE_LIMITS.events + 1, (n) => `r${n}@example.org`), []]
    let messages = 0
    const log: Parameters<typeof tieReport>[0]['log'] = {
      async listMessage() {
        const events = pages[messages++] ?? []
        const isLast = messages >= pages.length
        return { events: events.map((recipient) => JSON.stringify({ recipient })), ...(isLast ? {} : { next: NEXT }) }
      },
      list: async () => ({ events: [] }),
    }
    const domain = { ...sampleDomain('t1', 'acme.test', { isApproved: true, isVerified: true }), number: 1 }
    const domains = { findByName: async () => domain }
    const result = await tieReport({ references, domains, log }, failure({ references: [forWhole] }))
    assert.equal('tie' in result && result.tie.known.isComplete, false)
    assert.equal(messages, 1)
  })
})

describe('the recipients that a report names', () => {
  test('are compared with a reference, each and the message as a whole, for one signature each', async () => {
    const signatures = async (count: number) => {
      const report = failure(
        { references: [forged(0)] },
        listOf(count, (n) => `r${n}@example.org`),
      )
      const { spentMs } = await openScene().find(report)
      return Math.round(spentMs / 0.015)
    }
    // A hundred at a time; and once more for the recipients of the log, which has none.
    const counts = [await signatures(0), await signatures(1), await signatures(100), await signatures(150)]
    assert.deepEqual(counts, [1 + 1, 2 + 1, 101 + 1, 101 + 51 + 1])
  })

  test('are all compared, however many they are', async () => {
    const named = [...listOf(150, (n) => `r${n}@example.org`), BOB]
    const found = await openScene().tie(failure({ references: [genuine] }, named))
    assert.equal(found?.recipient, BOB)
    assert.equal((await openScene().tie(failure({ references: [forWhole] }, [])))?.messageId, ID)
  })

  test('are one at least of those of an unsigned message', async () => {
    const { tie } = openScene({ recipients: [BOB] })
    const report = failure({ fromAddress: 'hello@acme.test', messageId: ID }, ['eve@example.org', BOB])
    assert.equal((await tie(report))?.messageId, ID)
  })
})

test('the reason says what would be a proof', async () => {
  const reasons = [true, false].map(async (allowsUnsigned) => {
    const result = await openScene({ allowsUnsigned }).find(failure({}))
    return 'problem' in result ? result.problem : ''
  })
  assert.deepEqual(await Promise.all(reasons), [
    'the report has no signed reference and no id of a message in the log',
    'the report has no signed reference',
  ])
})

test('in free text, the recipient that the returned message names counts if it was signed for', async () => {
  const report = failure({ references: [genuine], to: ['carol@example.org', BOB] }, [])
  assert.equal((await openScene().tie({ ...report, isFreeText: true }))?.recipient, BOB)
  assert.equal(await openScene().tie(report), undefined)
})

describe('without a signature', () => {
  const fromAddress = 'hello@acme.test'

  test('an id counts from 16 to 255 characters', async () => {
    for (const [length, isTied] of [
      [15, false],
      [16, true],
      [255, true],
      [256, false],
    ] as const) {
      const messageId = 'i'.repeat(length)
      const found = await openScene({ messageId, recipients: [BOB] }).tie(failure({ fromAddress, messageId }))
      assert.equal(found?.messageId, isTied ? messageId : undefined, String(length))
      assert.equal(found?.isSigned, isTied ? false : undefined)
    }
  })

  test('the log is read once for each domain and id, and not at all for a report that names nobody', async () => {
    const { tie, reads } = openScene()
    const returned = { fromAddress, sender: 'bounces@mail.acme.test', messageId: ID, trace: { messageId: ID } }
    assert.equal(await tie(failure(returned)), undefined)
    assert.equal(reads.messages, 1)
    assert.equal(await tie(failure(returned, [])), undefined)
    assert.equal(reads.messages, 1)
    assert.equal(await tie(failure({ ...returned, fromAddress: 'hello@rival.test' })), undefined)
    assert.equal(reads.messages, 3)
  })

  test('the sender of the message decides; only if it is not returned, the address that the report was sent to', async () => {
    const { tie } = openScene({ recipients: [BOB] })
    const sentTo = ['bounces@acme.test', 'bounces@rival.test']
    const tied = async (returned: object, to: readonly string[]) =>
      (await tie({ ...failure({ messageId: ID, ...returned }), sentTo: to }))?.domain
    assert.equal(await tied({}, sentTo), 'acme.test')
    assert.equal(await tied({}, sentTo.toReversed()), undefined)
    assert.equal(await tied({ sender: 'bounces@rival.test' }, sentTo), undefined)
    assert.equal(await tied({ fromAddress }, sentTo.toReversed()), 'acme.test')
  })

  test('free text proves nothing', async () => {
    const { tie } = openScene({ recipients: [BOB] })
    const report = failure({ fromAddress, messageId: ID })
    assert.equal((await tie(report))?.messageId, ID)
    assert.equal(await tie({ ...report, isFreeText: true }), undefined)
  })
})
