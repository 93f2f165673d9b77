import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { keepsLogReaderContract } from '../maillog/log-reader.contract.ts'
import { PostfixLog } from './postfix-log.ts'

const FOLDER = join(import.meta.dirname, 'testdata')
const CLEANUP = '2026-11-15T03:00:00Z mail postfix/cleanup[1]: 4jRxmD32Gqz2RHX8: '

keepsLogReaderContract({
  folder: FOLDER,
  ending: 'log',
  open: (options) => new PostfixLog(options),
  hostile: [
    [CLEANUP, 'to=<'],
    [CLEANUP, '>, relay='],
    [CLEANUP, ' from x;'],
    [CLEANUP, 'info: header Subject: '],
    [`${CLEANUP}info: header X-Envelog-Id: `, 'x from y; '],
    [CLEANUP, ', status=sent ('],
    [`${CLEANUP}info: header From: `, '=?a?b?c?='],
    ['2026-11-15T03:00:00Z mail postfix', '/a'],
  ],
})

function openLog(): PostfixLog {
  return new PostfixLog({ remembered: [], host: 'mail', nowMs: () => Date.UTC(2026, 10, 15, 12) })
}

test('a message that has left the queue is forgotten', () => {
  const log = openLog()
  for (const line of readFileSync(join(FOLDER, '10-several-recipients.log'), 'utf8').split('\n')) log.read(line)
  const kept = log.takeChanges().filter(([, value]) => value !== undefined)
  assert.deepEqual(kept, [])
})

test('a message whose removal was never logged is forgotten after some days', () => {
  const log = openLog()
  const at = (day: number, words: string) => log.read(`2026-11-${day}T03:00:00+00:00 mail postfix/qmgr[1]: ${words}`)
  at(10, '4jRxmD32Gqz2RHX8: from=<a@acme.test>, size=1, nrcpt=1 (queue active)')
  at(14, '4jRxmD5zB6z2RHZN: from=<a@acme.test>, size=1, nrcpt=1 (queue active)')
  assert.deepEqual(
    log.takeChanges().map(([key, value]) => [key.split(' ').at(-1), value !== undefined]),
    [
      ['4jRxmD32Gqz2RHX8', false],
      ['4jRxmD5zB6z2RHZN', true],
    ],
  )
})

test('times of traditional syslog are local, on the latest such date', () => {
  const log = openLog()
  const local = (year: number, month: number, day: number) =>
    Math.floor(new Date(year, month - 1, day, 3, 4, 5).getTime() / 1000)
  const timeOf = (text: string) => {
    log.read(`${text} mail postfix/qmgr[1]: 4jRxmD32Gqz2RHX8: from=<a@acme.test>, size=1, nrcpt=1 (queue active)`)
    const [record] = log.read(
      `${text} mail postfix/smtp[2]: 4jRxmD32Gqz2RHX8: to=<b@example.org>, relay=none, delay=1, delays=1/0/0/0, dsn=4.4.1, status=deferred (no)`,
    )
    return record?.event['timestamp']
  }
  assert.equal(timeOf('Nov 14 03:04:05'), local(2026, 11, 14))
  assert.equal(timeOf('Jan  2 03:04:05'), local(2026, 1, 2))
  assert.equal(timeOf('Dec 31 03:04:05'), local(2025, 12, 31))
})
