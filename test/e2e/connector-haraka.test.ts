/** A real Haraka sends to hosts that accept, defer, reject and disconnect; Envelog's log must agree with what they did. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { findFreePort } from '../harness/free-port.ts'
import { LogClient } from '../harness/log/log-client.ts'
import { type Haraka, openHaraka } from '../harness/mail/haraka.ts'
import { LetterWriter } from '../harness/mail/letters.ts'
import { openMailNetwork } from '../harness/mail/mail-network.ts'
import { assertOutcome, findUnfinished } from '../harness/mail/mail-outcome.ts'
import { submitLetter } from '../harness/mail/smtp-client.ts'
import { openInstallation } from '../harness/programs/installation.ts'
import { eventually } from '../harness/programs/tail-process.ts'
import { openTemporaryFolder } from '../harness/temporary-folder.ts'

const isRoot = process.getuid?.() === 0

test('the log agrees with what the hosts did, although all processes are killed meanwhile', {
  skip: !isRoot,
}, async (t) => {
  using installation = await openInstallation()
  using folder = openTemporaryFolder()
  await using network = await openMailNetwork(folder.path)
  await using processes = new AsyncDisposableStack()
  let server = processes.use(await installation.start())
  const port = new URL(server.address).port
  await using haraka = await openHaraka({
    folder: folder.path,
    port: await findFreePort(),
    url: server.address,
    ingestKey: installation.ingestKey,
    spawn: (command, args) => network.spawn(command, args),
  })
  const writer = new LetterWriter('127.0.0.1', haraka.port, 'acme.test')
  const listEvents = () => new LogClient(server.address, installation).listAll('acme.test')
  const finished = () => eventually(async () => findUnfinished(writer.letters, await listEvents()))

  await writer.sendRound()
  await finished()

  // Envelog is down while mail continues; then Haraka is killed too, with records not yet sent.
  await server.kill()
  await writer.sendRound()
  // Deferred messages are delivered by a second attempt. The next test kills Haraka before that is recorded.
  await eventually(async () => {
    const delivered = readSpool(haraka)
      .split('\n')
      .filter((line) => line.startsWith('{"hook":"delivered"'))
      .join()
    const missing = ['grey13@', 'busy15@', 'drop16@'].filter((recipient) => !delivered.includes(recipient))
    return missing.length === 0 ? undefined : `not delivered yet: ${missing.join(' ')}`
  })
  await haraka.idle()
  await haraka.kill()
  await haraka.start()
  server = processes.use(await installation.start({ ENVELOG_PORT: port }))
  await finished()

  await writer.sendRound()
  await server.kill()
  server = processes.use(await installation.start({ ENVELOG_PORT: port }))
  await finished()
  await haraka.idle()
  await haraka.kill()
  const events = await listEvents()
  t.diagnostic(`${events.length} events, ${network.records.length} answers`)
  assertOutcome(writer.letters, network.records, events)
  await server.stop()
})

/** Defers every delivery once, as limits on destinations do. */
const THROTTLE = `
const seen = new Set()
exports.hook_send_email = function (next, hmail) {
  if (hmail.todo.domain !== 'tls.example' || seen.has(hmail.todo.uuid)) return next()
  seen.add(hmail.todo.uuid)
  next(DELAY, 1)
}
`

test('workers that share a spool lose and invent nothing, even if they are killed', {
  skip: !isRoot,
}, async (t) => {
  using installation = await openInstallation()
  using folder = openTemporaryFolder()
  await using network = await openMailNetwork(folder.path)
  await using processes = new AsyncDisposableStack()
  let server = processes.use(await installation.start())
  const port = new URL(server.address).port
  await using haraka = await openHaraka({
    folder: folder.path,
    port: await findFreePort(),
    url: server.address,
    ingestKey: installation.ingestKey,
    workers: 2,
    plugins: { throttle: THROTTLE },
    spawn: (command, args) => network.spawn(command, args),
  })
  const accepted: string[] = []
  const send = async (n: number) => {
    const recipients = [
      `ok${n}@plain.example`,
      `no${n}@plain.example`,
      `grey${n}@plain.example`,
      `okay${n}@tls.example`,
    ]
    const headers = ['From: hello@acme.test', `Subject: ${n}`, `Message-ID: <${n}@acme.test>`]
    const answer = await submitLetter('127.0.0.1', haraka.port, { sender: 'b@acme.test', recipients, headers }).catch(
      () => undefined,
    )
    if (answer !== undefined) accepted.push(...recipients)
  }
  const listEvents = () => new LogClient(server.address, installation).listAll('acme.test')

  for (let n = 0; n < 30; n++) {
    const sending = send(n)
    // In the middle of a message, at an arbitrary point.
    if (n === 8 || n === 18) {
      await haraka.kill()
      await haraka.start()
    }
    if (n === 12) await server.kill()
    if (n === 22) server = processes.use(await installation.start({ ENVELOG_PORT: port }))
    await sending
  }
  await eventually(async () => {
    const ended = new Set(
      (await listEvents())
        .filter(({ type }) => type === 'Delivery' || type === 'Bounce')
        .map((event) => event.recipient),
    )
    const open = accepted.filter((recipient) => !ended.has(recipient))
    return open.length === 0 ? undefined : `no end yet for ${open.join(', ')}`
  })
  const events = await listEvents()
  const of = (type: string) => events.filter((event) => event.type === type)

  for (const recipient of accepted) {
    const receptions = of('Reception').filter((event) => event.recipient === recipient)
    assert.equal(receptions.length, 1, `one Reception of ${recipient}`)
  }
  // Every action of a host is reported, and nothing else.
  const done = network.records.map(({ recipient, code, text }) => `${recipient} ${code} ${text}`)
  const reported = [...of('Delivery'), ...of('Bounce'), ...of('TransientFailure')]
    .filter((event) => event.response_code !== 400)
    .map((event) => `${event.recipient} ${event.response_code} ${event.response_content}`)
  const rest = [...done]
  for (const line of reported) {
    const at = rest.indexOf(line)
    assert.notEqual(at, -1, `invented, or reported twice: ${line}`)
    rest.splice(at, 1)
  }
  // A reply in transit when Haraka was killed never reached it; Haraka sends such a message again.
  t.diagnostic(`${events.length} events, ${done.length} answers, ${rest.length} of them never heard`)
  // A few messages of four recipients at each of the two kills; more would mean that we lost some.
  assert.ok(rest.length <= done.length / 5, rest.join('\n'))
  const delayed = new Set(of('Delayed').map((event) => event.recipient))
  assert.ok(delayed.size >= 20, `${delayed.size} were deferred`)
  for (const event of of('Delayed')) assert.equal(event.response_code, 400)
  await server.stop()
})

/** Changes the delay of a message, and has another one deleted. */
const OTHER_DELAYS = `
exports.hook_deferred = function (next, hmail) {
  const subject = hmail.todo.notes.envelog.subject
  if (subject === 'later') return next(DENYSOFT, '77')
  if (subject === 'never') return next(OK)
  next()
}
`

test('the address that Haraka bound and the time of its next attempt are reported, as other plugins decide it', {
  skip: !isRoot,
}, async () => {
  using folder = openTemporaryFolder()
  await using network = await openMailNetwork(folder.path)
  await using haraka = await openHaraka({
    folder: folder.path,
    port: await findFreePort(),
    url: 'http://127.0.0.1:1',
    ingestKey: 'x',
    plugins: { other_delays: OTHER_DELAYS },
    spawn: (command, args) => network.spawn(command, args),
  })
  for (const subject of ['as usual', 'later', 'never']) {
    const headers = ['From: hello@acme.test', `Subject: ${subject}`]
    const recipients = [`grey-${subject.replace(' ', '-')}@plain.example`]
    await submitLetter('127.0.0.1', haraka.port, { sender: 'b@acme.test', recipients, headers })
  }
  const deferred = () =>
    readSpool(haraka)
      .split('\n')
      .filter((line) => line.startsWith('{"hook":"deferred"'))
      .map((line) => JSON.parse(line) as { subject: string; delay?: number; local_address?: string; attempt: number })
  await eventually(async () => (deferred().length >= 3 ? undefined : `${deferred().length} deferred`))
  const bySubject = new Map(deferred().map((record) => [record.subject, record]))
  assert.equal(bySubject.get('as usual')?.delay, 5)
  assert.equal(bySubject.get('later')?.delay, 77)
  assert.equal(bySubject.get('never')?.delay, undefined)
  for (const { local_address: address, attempt } of bySubject.values()) {
    assert.match(address ?? '', /^127\./)
    assert.equal(attempt, 1)
  }
})

test('mail continues although no record can be stored, and Haraka logs that events are lost', {
  skip: !isRoot,
}, async () => {
  using folder = openTemporaryFolder()
  await using network = await openMailNetwork(folder.path)
  const notAFolder = join(folder.path, 'a-file')
  writeFileSync(notAFolder, '')
  await using haraka = await openHaraka({
    folder: folder.path,
    port: await findFreePort(),
    url: 'http://127.0.0.1:1',
    ingestKey: 'x',
    settings: [`spool=${notAFolder}/spool`],
    spawn: (command, args) => network.spawn(command, args),
  })
  const headers = ['From: hello@acme.test', 'Subject: x']
  await submitLetter('127.0.0.1', haraka.port, { sender: 'b@acme.test', recipients: ['ok1@plain.example'], headers })
  await eventually(async () => (network.records.length === 1 ? undefined : 'it was not delivered'))
  await eventually(async () =>
    /CRIT.*events are lost: cannot add to the spool \S+ /.test(haraka.output()) ? undefined : 'nothing is said',
  )
})

function readSpool({ spool }: Haraka): string {
  return readdirSync(spool)
    .map((name) => readFileSync(join(spool, name), 'utf8'))
    .join('')
}
