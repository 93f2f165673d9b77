/** POST /ingest/…: everything that later requests read, in every format and content coding, and bodies that are refused. */
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { writeComplaint, writeDeliveryReport } from '../../../test/harness/mail/written-report.ts'
import { CALLERS, listOf } from '../request-table.ts'
import { DAY, MAILING_ID, mailing, oneLife, ordinaryEvents, sameSecondEvents, type WireEvent } from '../traffic.ts'
import { askLater, type Tour } from './tour.ts'

const EVENTS = 'POST /ingest/events'

type Bodies = readonly (readonly [note: string, body: unknown, coding?: string])[]

export async function askIngest(tour: Tour): Promise<void> {
  await askForms(tour)
  await askRefusals(tour)
  await askConnectors(tour)
  await askReports(tour)
}

async function askForms(tour: Tour): Promise<void> {
  const { now } = tour
  const ordinary = ordinaryEvents(now)
  const [first, second] = ordinary
  const start = oneLife(now).slice(0, 2)
  const bodies: Bodies = [
    ['array', ordinary.slice(0, 300)],
    ['NDJSON', toLines(ordinary.slice(300, 600))],
    ['gzip', gzipSync(toLines(ordinary.slice(600, 800))), 'gzip'],
    ['zstd', zstdCompressSync(toLines(ordinary.slice(800))), 'zstd'],
    ['array again', ordinary.slice(0, 300)],
    ['one object', { ...first, id: 'one-object' }],
    ['identity', { ...first, id: 'identity' }, ' Identity '],
    ['odd content type', { ...second, id: 'odd-type' }],
    ['same second', sameSecondEvents(now)],
    ['mailing', zstdCompressSync(JSON.stringify(mailing(now))), 'zstd'],
    ['one life', oneLife(now)],
    ['twice in a request', toLines([...start, ...start])],
  ]
  for (const [note, body, coding] of bodies) {
    const headers = note === 'odd content type' ? { 'content-type': 'image/png' } : codingHeader(coding)
    await askLater(tour, 'ingest', EVENTS, { note, body, headers })
  }
}

async function askRefusals(tour: Tour): Promise<void> {
  const { recorder, now } = tour
  const addressed = { domain_name: 'acme.test', recipient: 'a@b.test' }
  const event = { id: 'refused', timestamp: now - 60, type: 'Delivery', ...addressed }
  const changes = listOf(`
    {"domain_name":"nowhere.test"}  {"timestamp":${now - 91 * DAY}}  {"timestamp":${now + 2 * DAY}}
    {"timestamp":${now * 1000}}  {"timestamp":"1"}  {"type":"delivery"}  {"response_code":"250"}
    {"unknown_field":1}  {"url":"https://acme.test/"}  {"id":""}  {"id":"a\\u0000b"}
    {"recipient":"${'x'.repeat(1025)}"}  {"subject":"\\ud800"}  {"subject":null,"campaign":null}  {"sender":5}
  `)
  const otherCase = { ...event, domain_name: 'ACME.test.', id: 'other-case' }
  const records = [...changes.map((change) => ({ ...event, ...(JSON.parse(change) as object) })), {}, otherCase]
  await askLater(tour, 'ingest', EVENTS, { note: 'bad records', body: records })
  const bodies: Bodies = [
    ['lines that are no JSON', `${JSON.stringify(event)}\nnot JSON\n[1]\n"text"\n`],
    ['empty', ''],
    ['blank', ' \n '],
    ['no JSON', 'hello'],
    ['a number', '5'],
    ['broken off', '[{"id":'],
    ['not UTF-8', Buffer.from([0x7b, 0xff, 0xfe, 0x7d])],
    ['empty array', '[]'],
    ['no gzip', 'hello', 'gzip'],
    ['no zstd', 'hello', 'zstd'],
    ['unknown coding', '{}', 'br'],
    ['too deep', '['.repeat(40) + ']'.repeat(40)],
    ['too many records', `[${'{},'.repeat(100_000)}{}]`],
    ['too large', Buffer.alloc(16 * 1024 * 1024 + 1, ' ')],
    ['too large when expanded', gzipSync(Buffer.alloc(16 * 1024 * 1024 + 1, ' ')), 'gzip'],
    ['no body', undefined],
  ]
  for (const [note, body, coding] of bodies) {
    await recorder.ask('ingest', EVENTS, { note, body, headers: codingHeader(coding) })
  }
  for (const caller of CALLERS) await recorder.ask(caller, EVENTS, { note: 'callers', body: '[]' })
}

/** Records as mail servers send them, and names of connectors that do not exist. */
const connectorRecords = (now: number) => ({
  kumomta: `{"type": "Bounce", "id": "1d98076abbbc11ed940250ebf67f93bd", "sender": "bounce+77@bounces.acme.test",
    "recipient": "anna@example.org", "queue": "autumn:acme@example.org",
    "site": "pool1->(alt1|alt2)?.gmail-smtp-in.l.google.com@smtp_client", "size": 20481,
    "response": {"code": 550, "enhanced_code": {"class": 5, "subject": 1, "detail": 1}, "content": "no such user",
      "command": null}, "peer_address": {"name": "gmail-smtp-in.l.google.com.", "addr": "142.251.2.27"},
    "timestamp": ${now - 500}, "created": ${now - 510}, "num_attempts": 0,
    "bounce_classification": "InvalidRecipient", "meta": {},
    "headers": {"From": "Acme <hello@acme.test>", "Subject": "=?utf-8?q?Gr=C3=BC=C3=9Fe?="}}`,
  haraka: `{"hook": "delivered", "time": ${now - 400}, "id": "F2752887-CA88-4048-AFB4-097B7872781B.1",
    "from": "Acme <hello@acme.test>", "subject": "Your order", "size": 4821, "sender": "bounces+7@acme.test",
    "attempt": 1, "host": "gmail-smtp-in.l.google.com", "response": "OK gsmtp", "code": 250, "enhanced": "2.0.0",
    "recipients": [{"address": "ann@gmail.com"}, {"address": "ben@gmail.com"}]}`,
  maillog: `{"sender_domains": ["bounces.acme.test", "acme.test"], "event": {"id": "maillog-1",
    "timestamp": ${now - 300}, "type": "Bounce", "recipient": "x@y.test", "response_code": 550}}`,
  tracking: `{"hit": "click", "id": "m1", "domain": "acme.test", "recipient": "a@b.test", "url": "https://a.test/",
    "time": ${now}}`,
  native: '{}',
  events2: '{}',
  postfix: '{}',
  powermta: '{}',
  report2: '{}',
})

async function askConnectors(tour: Tour): Promise<void> {
  for (const [connector, record] of Object.entries(connectorRecords(tour.now))) {
    const target = `POST /ingest/${connector}`
    const body = [JSON.parse(record) as object]
    await askLater(tour, 'ingest', target, { body })
    await tour.recorder.ask('ingest', target, { note: 'again', body })
    await tour.recorder.ask('ingest', target, { note: 'empty objects', body: [{}, {}] })
  }
}

async function askReports(tour: Tour): Promise<void> {
  const { recorder, scene, now } = tour
  const timeMs = now * 1000
  const { address: to, envelopeId, forgedEnvelopeId } = scene.returnPath
  const recipient = 'person17@example.net'
  const outcomes = [{ recipient }]
  const returned = (id: string, from = 'hello@acme.test') => [`From: ${from}`, `Message-ID: <${id}>`, 'Subject: Hi']
  const delayed = [{ recipient, action: 'delayed', status: '4.4.1' }]
  const byReturnPath = writeDeliveryReport({ timeMs, to, outcomes })
  const reports = {
    'return path': byReturnPath,
    'envelope id': writeDeliveryReport({ timeMs, envelopeId, outcomes, returned: returned('x@acme.test') }),
    'issued id': writeDeliveryReport({ timeMs, outcomes, returned: returned(`${MAILING_ID}@acme.test`) }),
    delayed: writeDeliveryReport({ timeMs, to, outcomes: delayed }),
    'another recipient': writeDeliveryReport({ timeMs, to, outcomes: [{ recipient: 'other@example.net' }] }),
    'unknown id': writeDeliveryReport({ timeMs, outcomes, returned: returned('unknown-message-id-0001@acme.test') }),
    'unknown domain': writeDeliveryReport({ timeMs, outcomes, returned: returned(`${MAILING_ID}@x.test`, 'a@x.test') }),
    forged: writeDeliveryReport({ timeMs, envelopeId: forgedEnvelopeId, outcomes }),
    complaint: writeComplaint({ timeMs, to, fields: [`Original-Rcpt-To: ${recipient}`] }),
    'a letter': 'From: a@b.test\r\nSubject: Hello\r\n\r\nHow are you?\r\n',
    'an automatic reply': 'From: a@b.test\r\nAuto-Submitted: auto-replied\r\nSubject: Away\r\n\r\nBack soon.\r\n',
    empty: '',
    noise: Buffer.from([0, 1, 2, 255]),
  }
  const target = 'POST /ingest/report'
  for (const [note, body] of Object.entries(reports)) await askLater(tour, 'ingest', target, { note, body })
  await recorder.ask('ingest', target, { note: 'again', body: byReturnPath })
  await recorder.ask('ingest', target, { note: 'br', body: 'x', headers: codingHeader('br') })
  for (const caller of ['nobody', 'acme', 'admin']) await recorder.ask(caller, target, { note: 'callers', body: 'x' })
}

function codingHeader(coding: string | undefined): Readonly<Record<string, string>> {
  return coding === undefined ? {} : { 'content-encoding': coding }
}

function toLines(events: readonly WireEvent[]): string {
  return events.map((event) => `${JSON.stringify(event)}\n`).join('')
}
