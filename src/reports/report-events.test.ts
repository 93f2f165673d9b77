import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createKnowledge } from '../classification/knowledge.ts'
import type { DeliveryReport, FeedbackReport, RecipientOutcome } from './report.ts'
import { toFindings } from './report-events.ts'
import type { Tie } from './tie-report.ts'

const KEPT = { oldest: 0, newest: 1000, arrived: 500 }
const [BOB, CAROL, EVE] = ['bob@example.org', 'carol@example.org', 'eve@example.org']

/** Tied to a message with these recipients, as a whole. */
function tieTo(recipients: readonly string[], more: Partial<Tie> = {}): Tie {
  const known = { recipients: new Map(recipients.map((one) => [one, one])), isComplete: true }
  return { domain: 'acme.test', messageId: 'm1', isSigned: true, known, ...more }
}

function complaint(fields: Partial<FeedbackReport> = {}, to: readonly string[] = []): FeedbackReport {
  const returned = { to, references: [] }
  return { kind: 'feedback', feedbackType: 'abuse', sentTo: [], times: [], recipients: [], returned, ...fields }
}

const complainants = (report: FeedbackReport, tie: Tie) =>
  toFindings(report, tie, createKnowledge(), KEPT).map((finding) =>
    'problem' in finding ? finding.problem : finding.event['recipient'],
  )

describe('a complaint is of', () => {
  test('the recipient that the message was signed for, whoever it names', () => {
    assert.deepEqual(complainants(complaint({ recipients: [CAROL] }), tieTo([], { recipient: BOB })), [BOB])
  })

  test('the known recipients that it names, each once, in their order and as they are written first', () => {
    const recipients = [CAROL, EVE, BOB, CAROL.toUpperCase()]
    assert.deepEqual(complainants(complaint({ recipients }), tieTo([BOB, CAROL])), [CAROL, BOB])
    const traced = complaint({ returned: { to: [CAROL], references: [], trace: { recipient: BOB } } })
    assert.deepEqual(complainants(traced, tieTo([BOB, CAROL])), [BOB])
  })

  test('the one that the header names, if it names exactly one that is known', () => {
    const tie = tieTo([BOB, CAROL])
    assert.deepEqual(complainants(complaint({}, [EVE, CAROL]), tie), [CAROL])
    assert.match(String(complainants(complaint({}, [BOB, CAROL]), tie)), /names no recipient/)
  })

  test('the only recipient of a signed message, if all are known', () => {
    assert.deepEqual(complainants(complaint({ recipients: [EVE] }), tieTo([BOB])), [BOB])
    const unsigned = tieTo([BOB], { isSigned: false })
    assert.match(String(complainants(complaint({ recipients: [EVE] }), unsigned)), /"eve@example\.org", not a known/)
    const partly = tieTo([], { known: { recipients: new Map([[BOB, BOB]]), isComplete: false } })
    assert.equal(complainants(complaint({ recipients: [EVE] }), partly).length, 1)
    assert.match(String(complainants(complaint({ recipients: [EVE] }), partly)), /not a known recipient/)
  })

  test('nobody, if it says that it is none; a long list of strangers is shown in part', () => {
    assert.deepEqual(complainants(complaint({ feedbackType: 'not-spam' }), tieTo([BOB])), [])
    const recipients = Array.from({ length: 40 }, (_, n) => `stranger${n}@example.org`)
    const [problem] = complainants(complaint({ recipients }), tieTo([BOB, CAROL]))
    const named = recipients.join(', ').slice(0, 200)
    assert.equal(problem, `recipient: the report names "${named}", not a known recipient of the message`)
  })
})

describe('a failure is of', () => {
  const failed = (...addresses: readonly string[]): RecipientOutcome => ({ addresses, action: 'failed' })
  const bounced = (outcomes: readonly RecipientOutcome[], tie: Tie) => {
    const report: DeliveryReport = {
      kind: 'delivery',
      sentTo: [],
      times: [],
      returned: { to: [], references: [] },
      outcomes,
    }
    return toFindings(report, tie, createKnowledge(), KEPT).map((finding) =>
      'problem' in finding ? finding.problem : finding.event['recipient'],
    )
  }

  test('the recipient that the message was signed for, if it is named; other outcomes are not about it', () => {
    const problem = `recipient: the report names "${CAROL}", not the one of the return path`
    assert.deepEqual(bounced([failed(CAROL), failed(EVE, BOB)], tieTo([], { recipient: BOB })), [problem, BOB])
    assert.deepEqual(bounced([failed(CAROL)], tieTo([], { recipient: BOB })), [BOB], 'it was forwarded')
  })

  test('the only recipient of the message, if it is the only outcome', () => {
    assert.deepEqual(bounced([failed(EVE)], tieTo([BOB])), [BOB])
    const problem = `recipient: the report names "${EVE}", not a known recipient of the message`
    assert.deepEqual(bounced([failed(EVE), failed(BOB)], tieTo([BOB])), [problem, BOB])
  })

  test('nobody, if there is no saying whether it is one', () => {
    const outcomes: readonly RecipientOutcome[] = [{ addresses: [BOB], action: 'unclear' }]
    assert.deepEqual(bounced(outcomes, tieTo([BOB])), ['Action: not a known action, and no Status'])
  })
})

test('the first plausible time counts, or else the first, or else that of its arrival', () => {
  const timeOf = (...times: readonly number[]) => {
    const [finding] = toFindings(complaint({ times }), tieTo([BOB]), createKnowledge(), KEPT)
    return finding && 'event' in finding ? finding.event['timestamp'] : undefined
  }
  assert.deepEqual([timeOf(1001, 1000, 7), timeOf(-1, 0), timeOf(2000, 3000), timeOf()], [1000, 0, 2000, 500])
})
