/** Reports over SMTP to a real server that is killed meanwhile: no loss, no duplicates, and forgeries have no effect. */
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { describe, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { EmailEvent } from '../../src/events/event.ts'
import { createSeededRandom } from '../../src/lib/seeded-random.ts'
import { findFreePort } from '../harness/free-port.ts'
import { LogClient } from '../harness/log/log-client.ts'
import { SmtpSession } from '../harness/mail/smtp-session.ts'
import { writeComplaint, writeDeliveryReport } from '../harness/mail/written-report.ts'
import { type Installation, openInstallation } from '../harness/programs/installation.ts'

const now = Math.floor(Date.now() / 1000)
/** Only for the times of the kills. */
const random = createSeededRandom(now)

async function exportKey(installation: Installation): Promise<string> {
  const { stdout } = await installation.cli('--json', 'return-path', '--export-key')
  return (JSON.parse(stdout) as { key: string }).key
}

/** As described in docs/connectors/reports.md for mail servers. */
function signReturnPath(keyHex: string, domain: string, messageId: string, recipient: string): string {
  const text = `${domain.toLowerCase()}\n${messageId}\n${recipient.toLowerCase()}`
  const mac = createHmac('sha256', Buffer.from(keyHex, 'hex')).update(text).digest('hex').slice(0, 20)
  return `l${messageId}-${mac}@bounces.${domain}`
}

function makeDelivery(n: number): EmailEvent {
  return {
    id: `01890a5d-ac96-774b-bcce-${String(n).padStart(12, '0')}`,
    timestamp: now - 600,
    type: 'Delivery',
    domain_name: 'acme.test',
    recipient: `person${n}@example.org`,
  }
}

interface Mail {
  readonly to: string
  readonly message: Buffer
}

function reportOn({ recipient }: EmailEvent, to: string, action = 'failed'): Mail {
  return { to, message: writeDeliveryReport({ to, outcomes: [{ recipient, action }], timeMs: now * 1000 }) }
}

/** Retries until 250, like a mail server. Returns the number of attempts. */
async function deliver({ to, message }: Mail, port: number): Promise<number> {
  for (let tries = 1; ; tries++) {
    try {
      await using session = await SmtpSession.begin(port)
      const answer = await session.send(message, [to])
      if (answer.startsWith('250')) return tries
      assert.match(answer, /^4/, answer)
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error
    }
    assert.ok(tries < 1000, 'the server never answers')
    await delay(20)
  }
}

async function rejectedCount(installation: Installation): Promise<number> {
  const { stdout } = await installation.cli('--json', 'rejected', 'list', '--limit', '10000')
  return (JSON.parse(stdout) as { count: number }).count
}

describe('reports by mail', () => {
  test('each is in the log once although the server is repeatedly killed with -9; forged ones are quarantined', async () => {
    using installation = await openInstallation()
    const port = await findFreePort()
    const env = { ENVELOG_SMTP_LISTEN: `127.0.0.1:${port}` }
    const key = await exportKey(installation)
    let server = await installation.start(env)
    const httpPort = new URL(server.address).port
    const deliveries = Array.from({ length: 150 }, (_, n) => makeDelivery(n))
    await new LogClient(server.address, installation).ingest(deliveries)

    const isForged = (n: number) => n % 10 === 0
    const mails = deliveries.map((event, n) => {
      const { domain_name: domain, id, recipient } = event
      // A forger can sign with another key, and knows everything else.
      return reportOn(event, signReturnPath(isForged(n) ? '00'.repeat(32) : key, domain, id, recipient))
    })
    const waiting = [...mails, ...mails.filter((_, n) => n % 7 === 0)]
    let delivered = 0
    const killAt = [30, 80, 130].map((count) => count + random.between(0, 30))
    let tries = 0
    const send = async () => {
      for (let mail = waiting.shift(); mail; mail = waiting.shift()) {
        // Not in one statement: the counter changes during the await.
        const used = await deliver(mail, port)
        tries += used
        delivered += 1
        if (delivered !== killAt[0]) continue
        killAt.shift()
        await server.kill()
        server = await installation.start({ ...env, ENVELOG_PORT: httpPort })
      }
    }
    await Promise.all(Array.from({ length: 6 }, send))
    assert.ok(killAt.length === 0 && tries > delivered, 'a sender met a server that was down')

    const client = new LogClient(server.address, installation)
    const listed = await client.listAll('acme.test')
    const bounced = listed.filter(({ type }) => type === 'OOBBounce').map(({ id }) => id)
    const owed = deliveries.filter((_, n) => !isForged(n)).map(({ id }) => id)
    assert.deepEqual(bounced.toSorted(), owed.toSorted())
    assert.equal(listed.length, deliveries.length + owed.length)
    assert.equal(await rejectedCount(installation), deliveries.length - owed.length)
    assert.equal(await server.stop(), 0)
  })

  test('return-path, a bounce, a delay and a complaint; other mail is rejected; quarantined reports can be replayed', async () => {
    using installation = await openInstallation()
    const port = await findFreePort()
    await using server = await installation.start({
      ENVELOG_SMTP_LISTEN: `127.0.0.1:${port}`,
      ENVELOG_SMTP_DOMAINS: 'fbl.operator.test',
    })
    const client = new LogClient(server.address, installation)
    const event = makeDelivery(1)
    const { id, recipient } = event
    const make = async (...args: readonly string[]) => {
      const made = await installation.cli('--json', 'return-path', '--domain', 'acme.test', '--message', id, ...args)
      return JSON.parse(made.stdout) as { address: string; envelopeId: string; header: string }
    }
    const { address, header } = await make('--recipient', recipient)
    const { address: forAll } = await make()
    const checked = await installation.cli('--json', 'return-path', '--verify', address, '--recipient', recipient)
    assert.deepEqual(JSON.parse(checked.stdout), { domain: 'acme.test', messageId: id, recipient })

    // Before the log has the message, a reference to all of its recipients proves nothing about any of them.
    await deliver(reportOn(event, forAll), port)
    assert.deepEqual((await client.listAll('acme.test')).length, 0)
    await client.ingest([event])
    const replayed = await installation.cli('--json', 'rejected', 'replay')
    assert.deepEqual(JSON.parse(replayed.stdout), { replayed: 1, stored: 1, duplicates: 0, rejected: 0 })
    assert.equal(await rejectedCount(installation), 0)

    await deliver(reportOn(event, address, 'delayed'), port)
    const complaint = writeComplaint({ to: 'abuse@fbl.operator.test', timeMs: now * 1000, returned: [header] })
    await deliver({ to: 'abuse@fbl.operator.test', message: complaint }, port)
    await using session = await SmtpSession.begin(port)
    const letter = Buffer.from('Subject: hello\r\n\r\nBuy!\r\n')
    assert.match(await session.send(letter, ['abuse@fbl.operator.test']), /^554/)
    assert.match(await session.ask('RSET'), /^250/)
    assert.match(await session.send(letter, ['somebody@elsewhere.test']), /^550/)
    const types = (await client.listAll('acme.test')).map(({ type }) => type)
    assert.deepEqual(types.toSorted(), ['Delayed', 'Delivery', 'Feedback', 'OOBBounce'])
    const metrics = await (await fetch(`${server.address}/metrics`)).text()
    assert.match(metrics, /envelog_reports_total\{kind="feedback",outcome="tied"\} 1\n/)
  })

  test('a forged report that is submitted over HTTP is answered and quarantined, without effect', async () => {
    using installation = await openInstallation()
    await using server = await installation.start()
    const client = new LogClient(server.address, installation)
    const event = makeDelivery(1)
    await client.ingest([event])
    const answer = await fetch(`${server.address}/ingest/report`, {
      method: 'POST',
      headers: { authorization: installation.ingestKey },
      body: new Uint8Array(reportOn(event, 'bounces@acme.test').message),
    })
    assert.deepEqual(await answer.json(), {
      stored: 0,
      duplicates: 0,
      rejected: [{ index: 0, error: 'the report has no signed reference' }],
    })
    assert.equal((await client.listAll('acme.test')).length, 1)
    const replayed = await installation.cli('--json', 'rejected', 'replay')
    assert.deepEqual(JSON.parse(replayed.stdout), { replayed: 1, stored: 0, duplicates: 0, rejected: 1 })
  })
})
