/** A real Postfix sends through hosts that accept, defer, reject and hang up; Envelog's log says what they did. */
import assert from 'node:assert/strict'
import { readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { findFreePort } from '../harness/free-port.ts'
import { openInstallation } from '../harness/installation.ts'
import { LetterWriter } from '../harness/letters.ts'
import { LogClient } from '../harness/log-client.ts'
import { openMailNetwork } from '../harness/mail-network.ts'
import { assertOutcome, findUnfinished } from '../harness/mail-outcome.ts'
import { openPostfix } from '../harness/postfix.ts'
import { eventually, startTail } from '../harness/tail-process.ts'
import { openTemporaryFolder } from '../harness/temporary-folder.ts'

const isRoot = process.getuid?.() === 0

for (const longIds of ['yes', 'no']) {
  test(`what the log says is what the hosts did, with enable_long_queue_ids=${longIds}, whoever is killed meanwhile`, {
    skip: !isRoot,
  }, async (t) => {
    using installation = await openInstallation()
    using folder = openTemporaryFolder()
    await using network = await openMailNetwork(longIds === 'yes' ? 1 : 2, folder.path)
    const settings = { enable_long_queue_ids: longIds }
    await using postfix = await openPostfix({ folder: folder.path, network, port: await findFreePort(), settings })
    const writer = new LetterWriter('127.0.0.1', postfix.port, 'acme.test')

    await using processes = new AsyncDisposableStack()
    let server = processes.use(await installation.start())
    const port = new URL(server.address).port
    const cwd = dirname(installation.dataDir)
    const keyFile = join(cwd, 'key')
    writeFileSync(keyFile, installation.ingestKey)
    const follow = (...more: readonly string[]) =>
      processes.use(
        startTail(['postfix', postfix.logFile, '--url', server.address, '--key-file', keyFile, ...more], {
          cwd,
          env: { ENVELOG_DATA_DIR: join(cwd, 'tail-data') },
        }),
      )
    let tail = follow()
    const listEvents = () => new LogClient(server.address, installation).listAll('acme.test')
    const finished = () => eventually(async () => findUnfinished(writer.letters, await listEvents()), 90_000)

    await writer.sendRound()
    await finished()

    // Both are gone while mail goes on and the log is rotated.
    await tail.kill()
    await server.kill()
    await writer.sendRound()
    await eventually(async () => (network.records.length > 20 ? undefined : 'the hosts wait for the second round'))
    postfix.rotateLog()
    server = processes.use(await installation.start({ ENVELOG_PORT: port }))
    tail = follow()
    await finished()

    // Now the mail server itself, while only letters without hope are in its queue.
    await postfix.kill()
    await postfix.start()
    await writer.sendRound()
    await tail.kill()
    tail = follow()
    await finished()

    // What was written since.
    await tail.stop()
    await postfix.kill()
    const rest = follow('--once')
    await rest.ended
    assert.equal(rest.stderr(), '')
    const events = await listEvents()
    t.diagnostic(`${events.length} events, ${network.records.length} answers, ${readdirSync(folder.path).join(' ')}`)
    assertOutcome(writer.letters, network.records, events)
    await server.stop()
  })
}
