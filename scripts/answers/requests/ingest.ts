/** POST /ingest/…: everything that the later requests read, in every form and coding, and what is refused. */
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { writeComplaint, writeDeliveryReport } from '../../../test/harness/written-report.ts'
import { MAILING_ID, mailing, oneLife, ordinaryEvents, sameSecondEvents, type WireEvent } from '../traffic.ts'
import { CALLERS, type Tour } from './tour.ts'

export async function askIngest(tour: Tour): Promise<void> {
  await askForms(tour)
  await askRefusals(tour)
  await askConnectors(tour)
  await askReports(tour)
}

async function askForms({ recorder, installation, now }: Tour): Promise<void> {
  const post = async (note: string, body: string | Buffer, headers: Readonly<Record<string, string>> = {}) => {
    installation.step()
    await recorder.ask('ingest', 'POST /ingest/events', { note, body, headers })
  }
  const ordinary = ordinaryEvents(now)
  await post('array', JSON.stringify(ordinary.slice(0, 300)))
  await post('NDJSON', toLines(ordinary.slice(300, 600)))
  await post('gzip', gzipSync(toLines(ordinary.slice(600, 800))), { 'content-encoding': 'gzip' })
  await post('zstd', zstdCompressSync(toLines(ordinary.slice(800))), { 'content-encoding': 'zstd' })
  await post('array again', JSON.stringify(ordinary.slice(0, 300)))
  await post('one object', JSON.stringify({ ...ordinary[0], id: 'one-object' }))
  await post('identity', JSON.stringify({ ...ordinary[0], id: 'identity' }), { 'content-encoding': ' Identity ' })
  await post('odd content type', JSON.stringify({ ...ordinary[1], id: 'odd-type' }), { 'content-type': 'image/png' })
  await post('same second', JSON.stringify(sameSecondEvents(now)))
  await post('mailing', zstdCompressSync(JSON.stringify(mailing(now))), { 'content-encoding': 'zstd' })
  await post('one life', JSON.stringify(oneLife(now)))
  await post('twice in a request', toLines([...oneLife(now).slice(0, 2), ...oneLife(now).slice(0, 2)]))
}

async function askRefusals({ recorder, installation, now }: Tour): Promise<void> {
  const event = {
    id: 'refused',
    timestamp: now - 60,
    type: 'Delivery',
    domain_name: 'acme.test',
    recipient: 'a@b.test',
  }
  const records: readonly Readonly<Record<string, unknown>>[] = [
    { ...event, domain_name: 'nowhere.test' },
    { ...event, timestamp: now - 91 * 86_400 },
    { ...event, timestamp: now + 2 * 86_400 },
    { ...event, timestamp: now * 1000 },
    { ...event, timestamp: '1' },
    { ...event, type: 'delivery' },
    { ...event, response_code: '250' },
    { ...event, unknown_field: 1 },
    { ...event, url: 'https://acme.test/' },
    { ...event, id: '' },
    { ...event, id: 'a\u0000b' },
    { ...event, recipient: 'x'.repeat(1025) },
    { ...event, subject: '\uD800' },
    { ...event, subject: null, campaign: null },
    { ...event, sender: 5 },
    {},
    { ...event, domain_name: 'ACME.test.', id: 'other-case' },
  ]
  installation.step()
  await recorder.ask('ingest', 'POST /ingest/events', { note: 'bad records', body: JSON.stringify(records) })
  await recorder.ask('ingest', 'POST /ingest/events', {
    note: 'lines that are no JSON',
    body: `${JSON.stringify(event)}\nnot JSON\n[1]\n"text"\n`,
  })
  const bodies: readonly (readonly [note: string, body: string | Buffer, coding?: string])[] = [
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
  ]
  for (const [note, body, coding] of bodies) {
    const headers = coding === undefined ? {} : { 'content-encoding': coding }
    await recorder.ask('ingest', 'POST /ingest/events', { note, body, headers })
  }
  for (const caller of CALLERS) await recorder.ask(caller, 'POST /ingest/events', { note: 'callers', body: '[]' })
  await recorder.ask('ingest', 'POST /ingest/events', { note: 'no body' })
}

async function askConnectors({ recorder, installation, now }: Tour): Promise<void> {
  const kumomta = {
    type: 'Bounce',
    id: '1d98076abbbc11ed940250ebf67f93bd',
    sender: 'bounce+77@bounces.acme.test',
    recipient: 'anna@example.org',
    queue: 'autumn:acme@example.org',
    site: 'pool1->(alt1|alt2)?.gmail-smtp-in.l.google.com@smtp_client',
    size: 20_481,
    response: { code: 550, enhanced_code: { class: 5, subject: 1, detail: 1 }, content: 'no such user', command: null },
    peer_address: { name: 'gmail-smtp-in.l.google.com.', addr: '142.251.2.27' },
    timestamp: now - 500,
    created: now - 510,
    num_attempts: 0,
    bounce_classification: 'InvalidRecipient',
    meta: {},
    headers: { From: 'Acme <hello@acme.test>', Subject: '=?utf-8?q?Gr=C3=BC=C3=9Fe?=' },
  }
  const haraka = {
    hook: 'delivered',
    time: now - 400,
    id: 'F2752887-CA88-4048-AFB4-097B7872781B.1',
    from: 'Acme <hello@acme.test>',
    subject: 'Your order',
    size: 4821,
    sender: 'bounces+7@acme.test',
    attempt: 1,
    host: 'gmail-smtp-in.l.google.com',
    response: 'OK gsmtp',
    code: 250,
    enhanced: '2.0.0',
    recipients: [{ address: 'ann@gmail.com' }, { address: 'ben@gmail.com' }],
  }
  const maillog = {
    sender_domains: ['bounces.acme.test', 'acme.test'],
    event: { id: 'maillog-1', timestamp: now - 300, type: 'Bounce', recipient: 'x@y.test', response_code: 550 },
  }
  const tracking = {
    hit: 'click',
    id: 'm1',
    domain: 'acme.test',
    recipient: 'a@b.test',
    url: 'https://a.test/',
    time: now,
  }
  const bodies = { kumomta, haraka, maillog, tracking, native: {}, events2: {}, postfix: {}, powermta: {}, report2: {} }
  for (const [connector, record] of Object.entries(bodies)) {
    installation.step()
    const body = JSON.stringify([record])
    await recorder.ask('ingest', `POST /ingest/${connector}`, { body })
    await recorder.ask('ingest', `POST /ingest/${connector}`, { note: 'again', body })
    await recorder.ask('ingest', `POST /ingest/${connector}`, { note: 'empty objects', body: '[{},{}]' })
  }
}

async function askReports({ recorder, installation, scene, now }: Tour): Promise<void> {
  const timeMs = now * 1000
  const { address, envelopeId, forgedEnvelopeId } = scene.returnPath
  const outcomes = [{ recipient: 'person17@example.net' }]
  const returned = (id: string, from = 'hello@acme.test') => [`From: ${from}`, `Message-ID: <${id}>`, 'Subject: Hi']
  const reports: readonly (readonly [note: string, message: Buffer | string])[] = [
    ['return path', writeDeliveryReport({ timeMs, to: address, outcomes })],
    ['envelope id', writeDeliveryReport({ timeMs, envelopeId, outcomes, returned: returned('x@acme.test') })],
    ['issued id', writeDeliveryReport({ timeMs, outcomes, returned: returned(`${MAILING_ID}@acme.test`) })],
    [
      'delayed',
      writeDeliveryReport({
        timeMs,
        to: address,
        outcomes: [{ ...outcomes[0], recipient: 'person17@example.net', action: 'delayed', status: '4.4.1' }],
      }),
    ],
    ['another recipient', writeDeliveryReport({ timeMs, to: address, outcomes: [{ recipient: 'other@example.net' }] })],
    ['unknown id', writeDeliveryReport({ timeMs, outcomes, returned: returned('unknown-message-id-0001@acme.test') })],
    [
      'unknown domain',
      writeDeliveryReport({ timeMs, outcomes, returned: returned(`${MAILING_ID}@x.test`, 'a@x.test') }),
    ],
    ['forged', writeDeliveryReport({ timeMs, envelopeId: forgedEnvelopeId, outcomes })],
    ['complaint', writeComplaint({ timeMs, to: address, fields: ['Original-Rcpt-To: person17@example.net'] })],
    ['a letter', 'From: a@b.test\r\nSubject: Hello\r\n\r\nHow are you?\r\n'],
    ['an automatic reply', 'From: a@b.test\r\nAuto-Submitted: auto-replied\r\nSubject: Away\r\n\r\nBack soon.\r\n'],
    ['empty', ''],
    ['noise', Buffer.from([0, 1, 2, 255])],
  ]
  for (const [note, body] of reports) {
    installation.step()
    await recorder.ask('ingest', 'POST /ingest/report', { note, body })
  }
  await recorder.ask('ingest', 'POST /ingest/report', { note: 'again', body: reports[0]?.[1] ?? '' })
  await recorder.ask('ingest', 'POST /ingest/report', { note: 'br', body: 'x', headers: { 'content-encoding': 'br' } })
  for (const caller of ['nobody', 'acme', 'admin']) {
    await recorder.ask(caller, 'POST /ingest/report', { note: 'callers', body: 'x' })
  }
}

function toLines(events: readonly WireEvent[]): string {
  return events.map((event) => `${JSON.stringify(event)}\n`).join('')
}
