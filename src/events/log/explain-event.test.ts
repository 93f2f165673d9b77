import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { findContradictions } from '../../../test/harness/explanations/contradictions.ts'
import { BOUNCE_CLASSES, UNCATEGORIZED } from '../../classification/bounce-classes.ts'
import { FINER_MEANINGS, MEANING_OF_CLASS, MEANING_OF_CODE } from '../../classification/meaning/failure-meanings.ts'
import { EVENT_TYPES } from '../event.ts'
import { explainEvent } from './explain-event.ts'

type Explained = Parameters<typeof explainEvent>[0]

const CLASSES = Object.keys(BOUNCE_CLASSES)

test('every class but Uncategorized has a meaning', () => {
  assert.deepEqual(
    Object.keys(MEANING_OF_CLASS).toSorted(),
    CLASSES.filter((name) => name !== UNCATEGORIZED).toSorted(),
  )
})

test('every meaning is explained without contradictions, wherever it can occur', () => {
  const meanings = [MEANING_OF_CLASS, FINER_MEANINGS, MEANING_OF_CODE].flatMap((table) => Object.values(table))
  for (const { permanent, temporary, answer, actor, advice } of meanings) {
    assert.ok(permanent ?? temporary ?? answer)
    for (const reason of [permanent, temporary]) if (reason) assert.match(reason, /^[a-z][^.]{10,90}$/)
    if (answer) assert.match(answer, /^[A-Z][^.]{10,90}\.$/)
    assert.equal(advice === '', actor === 'nobody')
    if (advice)
      assert.match(advice, /^The (?:sender|operator|receiver|recipient) (?:should|can|has to) [^.]{10,110}\.$/)
  }
})

test('a delay is explained by its code, except by the one that stands for none', () => {
  const waiting = 'It is waiting for the next attempt.'
  assert.equal(explainEvent({ type: 'Delayed', response_code: 400 }).text, `Deferred. ${waiting}`)
  assert.equal(
    explainEvent({ type: 'Delayed', response_code: 451 }).text,
    `Deferred: the receiver has a temporary problem. ${waiting}`,
  )
})

test('a class that says nothing about a failure does not explain one', () => {
  const event = { type: 'TransientFailure', bounce_classification: 'AutoReply' } as const
  assert.deepEqual(explainEvent(event), {
    text: 'Temporarily failed. It will be retried automatically.',
    actor: 'nobody',
  })
})

describe('a reply of a real server', () => {
  const explain = (type: Explained['type'], code: number, enhanced: string, name: string | undefined, text: string) => {
    return explainEvent({
      type,
      response_code: code,
      response_enhanced_code: enhanced,
      response_content: text,
      ...(name !== undefined && { bounce_classification: name }),
    })
  }

  test('a policy rejection for good is not greylisting', () => {
    assert.deepEqual(explain('Bounce', 550, '5.7.1', 'PolicyRelated', 'Message rejected due to local policy'), {
      text:
        'Permanently failed: a rule of the receiver does not allow the message. ' +
        "The operator should ask the receiver's postmaster which rule it was.",
      actor: 'operator',
    })
    assert.deepEqual(explain('TransientFailure', 450, '4.2.0', undefined, 'Recipient address rejected: Greylisted'), {
      text:
        'Temporarily failed: the receiver defers mail from unknown senders for some minutes (greylisting). ' +
        'It will be retried automatically.',
      actor: 'nobody',
    })
  })

  test('a rate limit is not a problem of the mailbox', () => {
    const words = 'The user you are trying to contact is receiving mail at a rate that prevents additional messages'
    for (const name of [undefined, 'PolicyRelated', 'Uncategorized']) {
      assert.match(explain('Bounce', 550, '5.2.1', name, words).text, /: a limit of the receiver on the amount of mail/)
    }
    // As other software classifies it.
    const { text, actor } = explain('Bounce', 550, '5.2.1', 'InactiveMailbox', words)
    assert.deepEqual(
      [text, actor],
      ['Permanently failed. The operator should read the response of the server.', 'operator'],
    )
  })

  test('a deferral says nothing about a connection, because the attempt before it may have got a reply', () => {
    const { text, actor } = explain(
      'Delayed',
      400,
      '',
      undefined,
      'Deferred after attempt 1, next attempt in 5 minutes',
    )
    assert.deepEqual([text, actor], ['Deferred. It is waiting for the next attempt.', 'nobody'])
    const failed = explain('TransientFailure', 400, '', undefined, 'connect to mx.example.com:25: Connection timed out')
    assert.match(failed.text, /^Temporarily failed: the receiving server did not answer\. It will be retried/)
  })

  test('a failed authentication has to be repaired, although it will be retried', () => {
    const words = "Your email has been rate limited because SPF authentication didn't pass for this message."
    const { text, actor } = explain('TransientFailure', 421, '4.7.27', 'AuthenticationFailed', words)
    assert.match(text, /It will be retried automatically\. The sender should check the SPF, DKIM and DMARC records/)
    assert.equal(actor, 'sender')
  })

  test('a class and a text that contradict each other explain nothing', () => {
    const words = 'Service unavailable; Client host [192.0.2.25] blocked using zen.spamhaus.org'
    for (const name of ['InvalidRecipient', 'AuthenticationFailed', 'QuotaIssues']) {
      assert.match(explain('Bounce', 550, '5.7.1', name, words).text, /^Permanently failed\. The operator should read/)
    }
    assert.match(explain('Bounce', 550, '5.7.1', 'SpamContent', words).text, /the message or its sender spam/)
  })

  test('a message that was given up is not said to be retried, whatever the last reply was', () => {
    const { text, actor } = explain('Bounce', 451, '4.7.500', 'MessageExpired', 'Server busy. Please try again later')
    assert.match(text, /^Permanently failed: the message could not be delivered within the retry period\. The sender/)
    assert.equal(actor, 'sender')
  })
})

test('an automatic reply is not a failure', () => {
  assert.deepEqual(explainEvent({ type: 'OOBBounce', bounce_classification: 'AutoReply' }), {
    text: 'An automatic reply was received.',
    actor: 'nobody',
  })
})

test('an open or click by a machine is not attributed to the recipient', () => {
  for (const type of ['Opened', 'Click'] as const) {
    assert.match(explainEvent({ type }).text, /^The recipient /)
    assert.match(explainEvent({ type, machine: 'proxy' }).text, /^A machine /)
  }
})

describe('no explanation contradicts its event', () => {
  const CODES = [
    400, 421, 431, 450, 451, 452, 454, 455, 500, 501, 503, 530, 535, 541, 550, 551, 552, 553, 554, 556,
  ] as const
  const codes = fc.oneof(fc.constantFrom(...CODES), fc.nat(999))
  const enhanced = fc.oneof(
    fc.tuple(fc.constantFrom(4, 5), fc.nat(7), fc.nat(30)).map((numbers) => numbers.join('.')),
    fc.constantFrom('5.7.515', '5.4.300', '5.2.122', '4.7.650', '', '5.1'),
  )
  const texts = ['receiver-replies.txt', 'receiver-replies-held-out.txt'].flatMap((name) => {
    const path = join(import.meta.dirname, '../../classification/testdata', name)
    const lines = readFileSync(path, 'utf8').split('\n')
    return lines.filter((line) => line.includes(' | ') && !line.startsWith('#')).map((line) => line.split(' | '))
  })

  function check(event: Explained): void {
    const { text, actor } = explainEvent(event)
    assert.match(text, /^[A-Z][^\n]{10,300}\.$/)
    assert.deepEqual(findContradictions(event, text, actor), [], `${JSON.stringify(event)}\n${text}`)
  }

  test('of any type, class, codes and text', () => {
    const event = fc.record(
      {
        type: fc.constantFrom(...EVENT_TYPES),
        response_code: codes,
        response_enhanced_code: enhanced,
        response_content: fc.oneof(fc.constantFrom(...texts.map((line) => line.slice(5).join(' | '))), fc.string()),
        bounce_classification: fc.oneof(fc.constantFrom(...CLASSES), fc.constantFrom('constructor', 'PartnerPolicy')),
      },
      { requiredKeys: ['type'] },
    )
    fc.assert(fc.property(event, check), { numRuns: 3000 })
  })

  test('with every class, code and type, without a text', () => {
    for (const type of EVENT_TYPES) {
      for (const name of [undefined, ...CLASSES]) {
        for (const code of [undefined, ...CODES]) {
          check({
            type,
            ...(name !== undefined && { bounce_classification: name }),
            ...(code !== undefined && { response_code: code }),
          })
        }
      }
    }
  })

  test('of any reply in the table, as the type that its code says, with and without its class', () => {
    for (const [, code = '', dotted = '', classes = '', , ...words] of texts) {
      const type = code.startsWith('4') || (code === '-' && dotted.startsWith('4')) ? 'TransientFailure' : 'Bounce'
      const event: Explained = {
        type,
        ...(code !== '-' && { response_code: Number(code) }),
        ...(dotted !== '-' && { response_enhanced_code: dotted }),
        response_content: words.join(' | '),
      }
      check(event)
      for (const name of classes.split('/')) check({ ...event, bounce_classification: name })
    }
  })
})
