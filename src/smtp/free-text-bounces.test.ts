/** A bounce message in free text through the SMTP listener, with the intake and the log behind it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pino } from 'pino'
import { DOMAIN, openReportScene, RECIPIENT } from '../../test/harness/mail/report-scene.ts'
import { SmtpSession } from '../../test/harness/mail/smtp-session.ts'
import { openReportListener } from './report-listener.ts'

const ID = '01890a5d-ac96-774b-bcce-b302099a8057'
const OTHER_ID = '01890a5d-ac96-774b-bcce-b302099a8058'

/** Neither the sender nor the subject says what it is: the empty envelope sender has to arrive with it. */
const BOUNCE = [
  'From: no-reply@mail.example.org',
  'Subject: Mail',
  '',
  `Your mail could not be delivered to <${RECIPIENT}>.`,
  'As their mailbox is full.',
  '',
].join('\r\n')

async function openScene() {
  const scene = await openReportScene()
  const listener = await openReportListener({
    host: '127.0.0.1',
    port: 0,
    accepted: { names: [], label: 'bounces', domains: scene.domains },
    reports: scene.reports,
    clock: scene.clock,
    logger: pino({ level: 'silent' }),
    onTaken: () => undefined,
  })
  const port = Number(listener.address.replace(/^.*:/, ''))
  return { ...scene, port, [Symbol.asyncDispose]: () => listener.close() }
}

test('a bounce in free text to a signed return path is an event of its message, and of no other', async () => {
  await using scene = await openScene()
  const path = await scene.deliver(ID)
  await scene.deliver(OTHER_ID)
  await using session = await SmtpSession.begin(scene.port)
  assert.match(await session.send(Buffer.from(BOUNCE), [path]), /^250/)
  const [event, ...more] = await scene.reported(ID)
  assert.partialDeepStrictEqual(event, {
    id: ID,
    type: 'OOBBounce',
    recipient: RECIPIENT,
    sender: path,
    response_content: `Your mail could not be delivered to <${RECIPIENT}>. As their mailbox is full.`,
  })
  assert.deepEqual(more, [])
  assert.deepEqual(await scene.reported(OTHER_ID), [])
  assert.deepEqual(await scene.quarantined(), [])
})

test('the same to an unsigned or forged return path is quarantined', async () => {
  await using scene = await openScene()
  const path = await scene.deliver(ID)
  const forged = path.replace(/-[0-9a-f]{20}@/, '-0123456789abcdef0123@')
  const ofAnother = path.replace(ID, OTHER_ID)
  await scene.deliver(OTHER_ID)
  await using session = await SmtpSession.begin(scene.port)
  for (const address of [`bounce@bounces.${DOMAIN}`, forged, ofAnother])
    assert.match(await session.send(Buffer.from(BOUNCE), [address]), /^250/)
  for (const id of [ID, OTHER_ID]) assert.deepEqual(await scene.reported(id), [])
  const rejected = await scene.quarantined()
  assert.deepEqual(
    rejected.map(({ reason }) => reason),
    Array.from({ length: 3 }, () => 'the report has no signed reference'),
  )
})

test('an absence to a signed return path is accepted and forgotten', async () => {
  await using scene = await openScene()
  const path = await scene.deliver(ID)
  const absence = BOUNCE.replace('Subject: Mail', 'Subject: Automatic reply: Your mail could not be delivered')
  await using session = await SmtpSession.begin(scene.port)
  assert.match(await session.send(Buffer.from(absence), [path]), /^250/)
  assert.deepEqual(await scene.reported(ID), [])
  assert.deepEqual(await scene.quarantined(), [])
})
