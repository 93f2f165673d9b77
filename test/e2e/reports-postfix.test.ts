/**
 * A real Postfix accepts messages with signed return paths, cannot deliver them, and sends bounces to a real Envelog over TLS.
 * Its log is followed as well, and both report the same messages.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { findFreePort } from '../harness/free-port.ts'
import { LogClient } from '../harness/log/log-client.ts'
import { openMailNetwork } from '../harness/mail/mail-network.ts'
import { openPostfix } from '../harness/mail/postfix.ts'
import { submitLetter } from '../harness/mail/smtp-client.ts'
import { openInstallation } from '../harness/programs/installation.ts'
import { eventually } from '../harness/programs/tail-process.ts'
import { openTemporaryFolder } from '../harness/temporary-folder.ts'

const isRoot = process.getuid?.() === 0

/** The name says what the host does; see test/harness/mail/smtp-sink.ts. */
const RECIPIENTS = {
  'no1@plain.example': { type: 'OOBBounce', response_code: 550 },
  'spam2@plain.example': { type: 'OOBBounce', response_code: 554 },
  'no3@plain.example': { type: 'OOBBounce', response_code: 550 },
  'full4@plain.example': { type: 'Delayed', response_code: 400 },
} as const

/** The expected events of log and reports together. */
const HISTORY = {
  OOBBounce: ['Bounce', 'OOBBounce', 'Reception'],
  Delayed: ['Delayed', 'Reception', 'TransientFailure'],
} as const

function makeCertificate(folder: string): string {
  const path = join(folder, 'smtp.pem')
  const args = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=bounces.operator.test']
  const { status, stderr } = spawnSync('openssl', [...args, '-keyout', path, '-out', `${path}.crt`], {
    encoding: 'utf8',
  })
  assert.equal(status, 0, stderr)
  writeFileSync(path, readFileSync(path, 'utf8') + readFileSync(`${path}.crt`, 'utf8'))
  return path
}

test('bounces of Postfix are listed with the message, once, although Envelog is killed and down meanwhile', {
  skip: !isRoot,
}, async () => {
  using installation = await openInstallation()
  using folder = openTemporaryFolder()
  const smtpPort = await findFreePort()
  const env = {
    ENVELOG_SMTP_LISTEN: `127.0.0.1:${smtpPort}`,
    ENVELOG_SMTP_CERTIFICATE: makeCertificate(folder.path),
  }
  let server = await installation.start(env)
  await using network = await openMailNetwork(folder.path)
  await using postfix = await openPostfix({
    folder: folder.path,
    network,
    port: await findFreePort(),
    settings: {
      transport_maps: `inline:{{bounces.acme.test = smtp:[127.0.0.1]:${smtpPort}}}`,
      delay_warning_time: '1s',
      smtp_tls_security_level: 'encrypt',
      smtp_tls_policy_maps: 'inline:{{plain.example = none}}',
    },
  })
  const send = async (recipient: string) => {
    const id = `message-to-${recipient}`
    const message = ['--domain', 'acme.test', '--message', id, '--recipient', recipient]
    const { stdout } = await installation.cli('--json', 'return-path', ...message)
    await submitLetter('127.0.0.1', postfix.port, {
      sender: (JSON.parse(stdout) as { address: string }).address,
      recipients: [recipient],
      headers: [
        'From: Acme <hello@acme.test>',
        'To: you',
        'Subject: A letter',
        `X-Envelog-Id: ${id}`,
        `Date: ${new Date().toUTCString()}`,
      ],
    })
  }
  const [first = '', ...others] = Object.keys(RECIPIENTS)
  await send(first)
  await server.kill()
  // Their reports wait in Postfix until Envelog is up again.
  for (const recipient of others) await send(recipient)
  server = await installation.start(env)
  await using running = server
  const client = new LogClient(running.address, installation)
  await eventually(async () => {
    const count = new Set((await client.listAll('acme.test')).map(({ recipient }) => recipient)).size
    return count === Object.keys(RECIPIENTS).length
      ? undefined
      : `${count} were reported; Postfix says:\n${readFileSync(postfix.logFile, 'utf8').slice(-3000)}`
  })
  for (const event of await client.listAll('acme.test')) {
    const expected = RECIPIENTS[event.recipient as keyof typeof RECIPIENTS]
    const { recipient } = event
    assert.partialDeepStrictEqual(event, { ...expected, id: `message-to-${recipient}`, subject: 'A letter' })
    assert.ok(event.response_content, JSON.stringify(event))
    if (event.type === 'OOBBounce') assert.notEqual(event.bounce_classification, undefined)
  }
  const { length } = await client.listAll('acme.test')
  assert.equal(length, Object.keys(RECIPIENTS).length)
  const { stdout } = await installation.cli('--json', 'rejected', 'list')
  assert.partialDeepStrictEqual(JSON.parse(stdout), { count: 0 })

  // The log of the same Postfix, which names messages by queue id.
  await installation.cli('tail', 'postfix', postfix.logFile, '--once')
  const events = await client.listAll('acme.test')
  for (const [recipient, { type }] of Object.entries(RECIPIENTS)) {
    const ofMessage = events.filter(({ id }) => id === `message-to-${recipient}`)
    assert.deepEqual([...new Set(ofMessage.map((event) => event.type))].sort(), HISTORY[type], recipient)
    assert.deepEqual(
      events.filter((event) => event.recipient === recipient),
      ofMessage,
    )
  }
  assert.match(readFileSync(postfix.logFile, 'utf8'), /TLS connection established to 127\.0\.0\.1/)
})
