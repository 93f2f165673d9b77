import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { keepsLogReaderContract } from '../maillog/log-reader.contract.ts'
import { EximLog } from './exim-log.ts'

const START = '2026-11-15 06:34:50 +0000 1xSTpC-000007-2s '

keepsLogReaderContract({
  folder: join(import.meta.dirname, 'testdata'),
  ending: 'log',
  open: (options) => new EximLog(options),
  outcome:
    /^(?:\w{3} [ \d]\d \S+ \S+ \S+ )?\d{4}-\d\d-\d\d \S+ (?:[+-]\d{4} )?(?:\[\d+\] )?[\w-]{16,23} (?:[-=>*]>|==|\*\*) /,
  hostile: [
    [`${START}<= `, 'a@b '],
    [`${START}<= a@b T="`, '\\"'],
    [`${START}<= a@b P=esmtp`, ' for a@b'],
    [`${START}<= `, '"\\'],
    [`${START}=> a@b`, ' H=x ['],
    [`${START}=> a@b C="`, '\\\\'],
    [`${START}=> |x`, ' <'],
    [`${START}** a@b`, ' A=b:'],
    [`${START}** a@b: SMTP error from remote mail server after `, 'RCPT TO:<'],
    [`${START}== a@b defer (1): `, 'x H'],
    [`${START}== a@b`, ' R="'],
    [`${START}From: `, '\\303'],
    [`${START}X-Envelog-Id: `, ' \\n'],
    ['', 'Nov 15 06:34:50 mail exim: '],
  ],
})

function openLog(): EximLog {
  return new EximLog({ remembered: [], host: 'mail', nowMs: () => Date.UTC(2026, 11, 31) })
}

/** Without the events. */
function reasonsOf(log: EximLog, ...lines: readonly string[]): readonly unknown[] {
  return [...lines.flatMap((line) => log.read(line)), ...log.finish()].map(({ left_out: reason }) => reason)
}

describe('outcomes that are not events have a reason', () => {
  const ARRIVAL = `${START}<= a@acme.test H=(x) [192.0.2.7] P=esmtp S=1`

  test('nothing was delivered, or only within Exim', () => {
    const of = (words: string) => reasonsOf(openLog(), ARRIVAL, `${START}${words}`)
    assert.deepEqual(of('*> b@example.org R=r T=t'), ['discarded'])
    assert.deepEqual(of('=> :blackhole: <b@example.org> R=r'), ['discarded'])
    assert.deepEqual(of('=> >a@acme.test <b@example.org> R=r T=address_reply'), ['notification'])
    const report = `${START}<= <> R=1xSTpC-000008-2s U=exim P=local S=1`
    assert.deepEqual(reasonsOf(openLog(), report, `${START}=> a@acme.test R=r T=t C="250 OK"`), ['notification'])
  })

  test('the message cannot be attributed', () => {
    const delivery = `${START}=> b@example.org R=r T=t C="250 OK"`
    assert.deepEqual(reasonsOf(openLog(), delivery), ['sender_not_logged'])
    assert.deepEqual(reasonsOf(openLog(), `${START}<= root U=root P=local S=1`, delivery), ['no_sender_domain'])
    assert.deepEqual(reasonsOf(openLog(), `${START}<= <> U=root P=local S=1`, delivery), ['bounce_message'])
  })

  test('the line cannot be read', () => {
    for (const words of ['=> root R=r T=t', '== b@example.org put off', '** ', '=> ', '=>', '=='])
      assert.deepEqual(reasonsOf(openLog(), ARRIVAL, `${START}${words}`), ['unreadable'], words)
  })

  test('the arrival of a message that was sent on before it arrived is not logged', () => {
    const early = `${START}>> b@example.org R=r T=t C="250 OK"`
    assert.deepEqual(reasonsOf(openLog(), early), ['sender_not_logged'])
    assert.deepEqual(reasonsOf(openLog(), early, `${START}Completed`), ['sender_not_logged'])
    assert.deepEqual(reasonsOf(openLog(), early, `${START}F=<a@acme.test> rejected after DATA: no`), ['not_an_outcome'])
    const later = '2026-11-25 06:34:50 +0000 1xSTpD-000007-2s <= a@acme.test P=esmtp S=1'
    assert.deepEqual(reasonsOf(openLog(), early, later), ['sender_not_logged'])
    const many = Array.from({ length: 1500 }, (_, n) => `${START}>> b${n}@example.org R=r T=t C="250 OK"`)
    assert.equal(reasonsOf(openLog(), ...many).length, 1500)
  })
})

test('a message that has left the spool is forgotten', () => {
  const log = openLog()
  log.read(`${START}From: a@acme.test`)
  log.read(`${START}<= a@acme.test H=(x) [192.0.2.7] P=esmtp S=1 for b@example.org`)
  log.read(`${START}=> b@example.org R=dnslookup T=remote_smtp H=mx [192.0.2.1] C="250 OK"`)
  log.read(`${START}Completed`)
  assert.deepEqual(
    log.takeChanges().filter(([, value]) => value !== undefined),
    [],
  )
})

test('a message whose completion was never logged is forgotten after some days', () => {
  const log = openLog()
  log.read('2026-11-01 06:34:50 +0000 1xSTpC-000007-2s <= a@acme.test H=(x) [192.0.2.7] P=esmtp S=1')
  log.read('2026-11-14 06:34:50 +0000 1xSTpD-000007-2s <= a@acme.test H=(x) [192.0.2.7] P=esmtp S=1')
  assert.deepEqual(
    log.takeChanges().map(([key, value]) => [key, value !== undefined]),
    [
      ['message mail 1xSTpC-000007-2s', false],
      ['message mail 1xSTpD-000007-2s', true],
    ],
  )
})

test('the same id on two hosts is not the same message', () => {
  const idOn = (host: string) => {
    const log = new EximLog({ remembered: [], host, nowMs: () => 0 })
    const [record] = log.read(`${START}<= a@acme.test H=(x) [192.0.2.7] P=esmtp S=1 for b@example.org`)
    return record?.event['id']
  }
  assert.equal(idOn('a'), idOn('a'))
  assert.notEqual(idOn('a'), idOn('b'))
})

test('times without a zone are local', () => {
  const [record] = openLog().read('2026-11-15 06:34:50 1xSTpC-000007-2s <= a@acme.test P=esmtp S=1 for b@example.org')
  assert.equal(record?.event['timestamp'], new Date(2026, 10, 15, 6, 34, 50).getTime() / 1000)
})

test('a line of a host whose clock is years ahead ends no message of another host', () => {
  const log = new EximLog({ remembered: [], host: 'mail', nowMs: () => Date.UTC(2026, 10, 15, 12) })
  log.read(`${START}<= a@acme.test H=(x) [192.0.2.7] P=esmtp S=1`)
  log.read('2036-11-15 06:34:50 +0000 1xSTpC-000008-2s <= b@acme.test H=(x) [192.0.2.7] P=esmtp S=1')
  const records = log.read(`${START}=> b@example.org R=r T=t C="250 OK"`)
  assert.equal(records.at(-1)?.event['sender'], 'a@acme.test')
})
