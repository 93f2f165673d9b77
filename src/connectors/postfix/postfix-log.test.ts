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
    [`${CLEANUP}to=<`, '"\\"'],
    [`${CLEANUP}to=<"`, '\\>, orig_to=<"'],
    [CLEANUP, ' from x;'],
    [CLEANUP, 'info: header Subject: '],
    [`${CLEANUP}info: header X-Envelog-Id: `, 'x from y; '],
    [CLEANUP, ', status=sent ('],
    [`${CLEANUP}info: header From: `, '=?a?b?c?='],
    ['2026-11-15T03:00:00Z mail postfix', '/a'],
    ['<22>1 2026-11-15T03:00:00Z mail postfix/smtp 1 - ', '[a b="\\'],
    ['<22>1 2026-11-15T03:00:00Z mail postfix/smtp 1 - ', '[a]'],
    ['postfix-1', ' '],
    ['postfix-1  | ', '\u001b[36m'],
    ['{"SYSLOG_IDENTIFIER":"postfix/smtp","MESSAGE":', '['],
    [`${CLEANUP}to=<a>, relay=b, delay=1, `, 'x=y, '],
    [`x`, ': to=<'],
  ],
  // In the text of a header, it is the sender's.
  outcome: /^(?:(?!header ).)*?(?:\]: |[-\]] |"|\ufeff)\w+: (?:to|from)=<.*, status=/s,
  countsDamaged: true,
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

test('a line of a host whose clock is years ahead ends no message of another host', () => {
  const log = openLog()
  log.read('2026-11-15T03:00:00Z mail postfix/qmgr[1]: 4ABCDE1111: from=<a@acme.test>, size=1, nrcpt=1 (queue active)')
  log.read('2036-11-15T03:00:00Z other postfix/anvil[1]: statistics: max connection rate 1/60s')
  const outcome = 'relay=none, delay=1, delays=0/0/1/0, dsn=5.4.4, status=bounced (Host not found)'
  const [record] = log.read(`2026-11-15T03:00:01Z mail postfix/smtp[1]: 4ABCDE1111: to=<b@example.org>, ${outcome}`)
  assert.equal(record?.event['sender'], 'a@acme.test')
})

test('little is kept of a long Message-ID', () => {
  const log = openLog()
  log.read(`${CLEANUP}message-id=<${'x'.repeat(1900)}@acme.test>`)
  assert(JSON.stringify(log.takeChanges()).length < 800)
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

function leftOutOf(name: string): readonly unknown[] {
  const log = openLog()
  const lines = readFileSync(join(FOLDER, `${name}.log`), 'utf8').split('\n')
  return lines.flatMap((line) => log.read(line).flatMap(({ left_out: reason }) => reason ?? []))
}

test('an outcome that is not an event is left out with its reason', () => {
  for (const [name, ...reasons] of [
    ['48-notification-of-postfix', 'bounce_message'],
    ['49-double-bounce', 'notification'],
    ['52-begun-after-the-queue', 'sender_not_logged'],
    ['53-probe-of-an-address', 'probe'],
    ['54-discarded', 'discarded'],
    ['81-sendmail-submission'],
    ['83-sender-without-a-domain', 'no_sender_domain'],
    ['85-two-instances-and-a-filter-bounced', 'handed_over'],
    ['97-second-instance-not-in-the-log', 'next_hop_not_logged'],
    ['100-filter-discards', 'discarded'],
    ['122-damaged-lines', 'unreadable', 'unreadable', 'unreadable', 'unreadable', 'unreadable'],
    ['126-expired-without-its-recipients', 'recipients_not_logged'],
  ])
    assert.deepEqual(leftOutOf(name ?? ''), reasons, name)
})

test('the messages of any number of hosts with the same queue id take bounded time', () => {
  const log = openLog()
  for (let host = 0; host < 5000; host++) {
    const words = 'B09E8FDA085: from=<a@acme.test>, size=1, nrcpt=1 (queue active)'
    log.read(`2026-11-15T03:00:00Z mail${host} postfix/qmgr[1]: ${words}`)
  }
  const sent = (host: string) =>
    log.read(
      `2026-11-15T03:00:00Z ${host} postfix/smtp[1]: A11111111: to=<b@example.org>, relay=127.0.0.1[127.0.0.1]:10024, delay=1, delays=1/0/0/0, dsn=2.0.0, status=sent (250 2.0.0 Ok: queued as B09E8FDA085)`,
    )
  assert.deepEqual(
    [sent('mail4999'), sent('elsewhere')].map((records) => records.map(({ left_out: reason }) => reason)),
    [['handed_over'], ['next_hop_not_logged']],
  )
})

/** A message in the queue, and then one of another sender whose delivery refers to it. */
function readAfterForgery(forgery: string, messageId = 'evil@rival.test') {
  const log = openLog()
  const at = (second: number, words: string) =>
    log
      .read(`2026-11-15T03:00:0${second}Z mail postfix/${words}`)
      .map(({ sender_domains: domains, event, left_out }) =>
        left_out === undefined ? { domains, type: event['type'] } : { left_out },
      )
  at(0, 'smtpd[1]: 4ABCDE1111: client=a[192.0.2.1]')
  at(0, 'cleanup[1]: 4ABCDE1111: message-id=<news@acme.test>')
  at(0, 'qmgr[1]: 4ABCDE1111: from=<news@acme.test>, size=100, nrcpt=2 (queue active)')
  at(1, 'smtpd[1]: 4ABCDE2222: client=b[192.0.2.2]')
  at(1, `cleanup[1]: 4ABCDE2222: message-id=<${messageId}>`)
  at(1, 'qmgr[1]: 4ABCDE2222: from=<evil@rival.test>, size=100, nrcpt=1 (queue active)')
  const forged = at(2, `smtp[1]: 4ABCDE2222: ${forgery}`)
  const rest = 'relay=mx.example.org[192.0.2.9]:25, delay=1, delays=0/0/1/0, dsn=2.0.0, status=sent (250 2.0.0 Ok)'
  const own = at(3, `smtp[1]: 4ABCDE1111: to=<a@example.org>, ${rest}`)
  return { forged, own }
}

const OWN = [
  { domains: ['acme.test'], type: 'Reception' },
  { domains: ['acme.test'], type: 'Delivery' },
]
const FORGERS = 'relay=none, delay=1, delays=0/0/1/0, dsn=5.4.4, status=bounced (Host not found)'

test('a recipient whose address looks like a hand-over takes over no other message', () => {
  const local = 'a>, relay=local, delay=0, status=sent (forwarded as 4ABCDE1111)'
  const quoted = readAfterForgery(`to=<"${local}"@rival.test>, ${FORGERS}`)
  assert.deepEqual(quoted.forged.at(-1), { domains: ['rival.test'], type: 'Bounce' })
  assert.deepEqual(quoted.own, OWN)
  const alias = readAfterForgery(`to=<b@rival.test>, orig_to=<"${local}"@rival.test>, ${FORGERS}`)
  assert.deepEqual(alias.forged.at(-1), { domains: ['rival.test'], type: 'Bounce' })
  assert.deepEqual(alias.own, OWN)
  // As logged before version 3.5, or with info_log_address_format=internal.
  const bare = readAfterForgery(`to=<${local}@rival.test>, ${FORGERS}`)
  assert.deepEqual(bare, { forged: [{ left_out: 'unreadable' }], own: OWN })
})

test('a reply with the queue id of a message takes it over only if that message can be the next part', () => {
  const reply = 'relay=mx.rival.test[192.0.2.66]:25, delay=1, delays=0/0/1/0, dsn=2.0.0, status=sent'
  const { forged, own } = readAfterForgery(
    `to=<a@rival.test>, ${reply} (250 2.0.0 Ok: queued as 4ABCDE1111)`,
    'news@acme.test',
  )
  assert.deepEqual(forged.at(-1), { domains: ['rival.test'], type: 'Delivery' })
  assert.deepEqual(own, OWN)
  const tunnel = reply.replace('192.0.2.66', '127.0.0.1')
  const local = readAfterForgery(`to=<a@rival.test>, ${tunnel} (250 2.0.0 Ok: queued as 4ABCDE1111)`)
  assert.deepEqual(local.forged.at(-1), { left_out: 'next_hop_not_logged' })
  assert.deepEqual(local.own, OWN)
})
