/** Opens and clicks end to end: a message is sent through a real Haraka and opened, and the log has the events. */
import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { dkimVerify } from 'mailauth/lib/dkim/verify.js'
import { SMTPServer } from 'smtp-server'
import { createTokens } from '../../integrations/haraka/lib/tracking/token.mjs'
import type { EmailEvent } from '../../src/events/event.ts'
import { findFreePort } from '../harness/free-port.ts'
import { LogClient } from '../harness/log/log-client.ts'
import { openHaraka } from '../harness/mail/haraka.ts'
import { submitLetter } from '../harness/mail/smtp-client.ts'
import { openInstallation } from '../harness/programs/installation.ts'
import { runCli } from '../harness/programs/run-cli.ts'
import { eventually } from '../harness/programs/tail-process.ts'
import { openTemporaryFolder } from '../harness/temporary-folder.ts'

const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0'

interface TrackedEvent extends EmailEvent {
  readonly url?: string
  readonly machine?: string
}

/** A server that stores the messages it receives. */
async function openMailbox() {
  const messages: Buffer[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    disableReverseLookup: true,
    onData(stream, _session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        messages.push(Buffer.concat(chunks))
        done()
      })
    },
  })
  server.listen(0, '127.0.0.1')
  await once(server.server, 'listening')
  const address = server.server.address()
  return {
    port: typeof address === 'object' ? (address?.port ?? 0) : 0,
    messages,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(resolve)),
  }
}

function get(url: string, options: RequestInit = {}): Promise<Response> {
  return fetch(url, { redirect: 'manual', headers: { 'user-agent': BROWSER }, ...options })
}

test('a message sent through Haraka is opened and clicked, signed after the rewrite, and a crash loses nothing', async () => {
  using installation = await openInstallation()
  using folder = openTemporaryFolder()
  await using mailbox = await openMailbox()
  await using processes = new AsyncDisposableStack()
  let server = processes.use(await installation.start())
  const port = new URL(server.address).port
  const secretFile = join(folder.path, 'tracking.secret')
  writeFileSync(secretFile, (await installation.cli('track', 'secret')).stdout)
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  mkdirSync(join(folder.path, 'config/dkim/acme.test'), { recursive: true })
  const keys = join(folder.path, 'config/dkim/acme.test')
  writeFileSync(join(keys, 'private'), privateKey.export({ type: 'pkcs1', format: 'pem' }))
  writeFileSync(join(keys, 'selector'), 'k1')
  writeFileSync(join(folder.path, 'config/dkim.ini'), '[sign]\nenabled=true\n[verify]\nenabled=false\n')
  await using haraka = await openHaraka({
    folder: folder.path,
    port: await findFreePort(),
    url: server.address,
    ingestKey: installation.ingestKey,
    settings: ['[tracking]', `base_url=${server.address}`, `secret_file=${secretFile}`],
    corePlugins: ['dkim'],
    plugins: {
      route: `exports.hook_get_mx = (next) => next(OK, { priority: 0, exchange: '127.0.0.1', port: ${mailbox.port} })`,
    },
  })
  const html =
    '<html><body><p>.dot and <a href="https://shop.test/?a=1&amp;b=2">the shop</a></p>\r\n.a dot\r\n</body></html>'
  const letter = { sender: 'bounce@acme.test', recipients: ['ann@example.org'] }
  const headers = ['From: Acme <hello@acme.test>', 'Subject: x', 'MIME-Version: 1.0', 'Content-Type: text/html']
  await submitLetter('127.0.0.1', haraka.port, { ...letter, headers: [...headers, '', html] })
  await submitLetter('127.0.0.1', haraka.port, {
    ...letter,
    recipients: ['a@x.test', 'b@x.test'],
    headers: [...headers, '', html],
  })
  await eventually(async () => (mailbox.messages.length >= 2 ? undefined : 'no mail yet'))
  const [tracked, several] = mailbox.messages.map(String).toSorted((a, b) => b.length - a.length)

  // The signature is valid for the message as it arrives.
  const record = `v=DKIM1; k=rsa; p=${publicKey.export({ type: 'spki', format: 'der' }).toString('base64')}`
  const verified = await dkimVerify(Buffer.from(tracked ?? ''), { resolver: async () => [[record]] })
  assert.equal(verified.results[0]?.status.result, 'pass')
  // With several recipients, the one who opened it would be unknown.
  assert.match(several ?? '', /href="https:\/\/shop\.test/)
  const [, link = ''] = /<a href="([^"]+)">the shop/.exec(tracked ?? '') ?? []
  const [, pixel = ''] = /<img src="([^"]+)"/.exec(tracked ?? '') ?? []
  assert.match(tracked ?? '', /<p>\.dot and .*\r\n\.a dot\r\n<img/)

  // By a machine before a person can have received it; then by a person.
  const click = await get(link)
  assert.equal(click.status, 302)
  assert.equal(click.headers.get('location'), 'https://shop.test/?a=1&b=2')
  await get(link, { method: 'HEAD' })
  assert.equal((await get(pixel)).headers.get('content-type'), 'image/gif')
  // Right after the answer.
  await server.kill()
  server = processes.use(await installation.start({ ENVELOG_PORT: port }))
  const client = new LogClient(server.address, installation)
  const listHits = async () =>
    (await client.listAll('acme.test')).filter(({ type }) => type === 'Opened' || type === 'Click')
  await eventually(async () => ((await listHits()).length >= 3 ? undefined : `${(await listHits()).length} hits`))
  const hits = (await listHits()) as readonly TrackedEvent[]
  const [reception] = await client.listAll('acme.test', { type: 'Reception', recipient: 'ann@example.org' })
  assert.deepEqual(
    hits
      .map(({ type, id, recipient, url }) => ({ type, id, recipient, url }))
      .toSorted((a, b) => a.type.localeCompare(b.type)),
    ['Click', 'Click', 'Opened'].map((type) => ({
      type,
      id: reception?.id,
      recipient: 'ann@example.org',
      url: type === 'Click' ? 'https://shop.test/?a=1&b=2' : undefined,
    })),
  )
  assert.ok(hits.some(({ machine }) => machine === 'head'))
  await server.stop()
})

test('track rewrite works with the data folder and with a secret file', async () => {
  using installation = await openInstallation()
  using folder = openTemporaryFolder()
  await using server = await installation.start()
  const secretFile = join(folder.path, 'secret')
  writeFileSync(secretFile, (await installation.cli('track', 'secret')).stdout)
  const message = 'From: a@acme.test\r\nContent-Type: text/html\r\n\r\n<a href="https://shop.test/">x</a>\r\n'
  const args = ['track', 'rewrite', '--domain', 'acme.test', '--message-id', 'm1', '--recipient', 'ann@example.org']
  const run = (...words: readonly string[]) =>
    runCli(words, { cwd: folder.path, env: { ENVELOG_DATA_DIR: installation.dataDir }, input: message })
  for (const more of [[], ['--secret-file', secretFile]]) {
    const { stdout, exitCode } = await run(...args, '--base-url', `${server.address}/`, ...more)
    assert.equal(exitCode, 0)
    const [, link = ''] = /href="([^"]+)"/.exec(stdout) ?? []
    const answer = await get(link)
    assert.equal(answer.headers.get('location'), 'https://shop.test/')
    assert.ok(
      stdout.startsWith('From: a@acme.test\r\nContent-Type: text/html\r\n\r\n<a href="http') &&
        stdout.endsWith('">\r\n'),
    )
  }
  const bad = await run(...args, '--base-url', 'https://a"b')
  assert.equal(bad.exitCode, 2)
  assert.match(bad.stderr, /--base-url: .* is not an http address/)
})

test('every answered click is in the log once, although the server is killed repeatedly', async (t) => {
  using installation = await openInstallation()
  await using processes = new AsyncDisposableStack()
  let server = processes.use(await installation.start())
  const port = new URL(server.address).port
  const { stdout } = await installation.cli('track', 'secret')
  const tokens = createTokens(Buffer.from(stdout.trim(), 'base64url'))
  const answered: string[] = []
  let made = 0
  let isOver = false
  const clickOn = async () => {
    while (!isOver) {
      const target = `https://shop.test/${made++}`
      const fields = { time: 0, domain: 'acme.test', messageId: `m${made % 50}`, recipient: 'ann@example.org' }
      const token = tokens.sign({ kind: 'click', ...fields, target })
      const status = await get(`${server.address}/t/c/${token}`).then(
        (answer) => answer.status,
        () => 0,
      )
      if (status === 302) answered.push(target)
      else await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
  const clicking = Array.from({ length: 4 }, clickOn)
  for (let kills = 1; kills <= 3; kills++) {
    // Some of them in the journal, some being stored.
    await eventually(async () => (answered.length >= kills * 150 ? undefined : `${answered.length} answers`))
    await server.kill()
    server = processes.use(await installation.start({ ENVELOG_PORT: port }))
  }
  isOver = true
  await Promise.all(clicking)
  const client = new LogClient(server.address, installation)
  const listUrls = async () => (await client.listAll('acme.test')).map((event) => (event as TrackedEvent).url ?? '')
  await eventually(async () => {
    const urls = new Set(await listUrls())
    const missing = answered.filter((target) => !urls.has(target))
    return missing.length === 0 ? undefined : `${missing.length} of ${answered.length} are missing`
  })
  const urls = await listUrls()
  t.diagnostic(`${answered.length} were answered, ${urls.length} are in the log`)
  assert.equal(new Set(urls).size, urls.length)
  await server.stop()
})
