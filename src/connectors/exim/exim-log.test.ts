import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { keepsLogReaderContract } from '../maillog/log-reader.contract.ts'
import { EximLog } from './exim-log.ts'

const START = '2026-11-15 06:34:50 +0000 1xSTpC-000007-2s '

keepsLogReaderContract({
  folder: join(import.meta.dirname, 'testdata'),
  ending: 'log',
  open: (options) => new EximLog(options),
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
  return new EximLog({ remembered: [], host: 'mail', nowMs: () => 0 })
}

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
