/** Real Postfix servers that hand messages over: two instances, a content filter, submissions of local programs. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { findFreePort } from '../harness/free-port.ts'
import { LogClient } from '../harness/log/log-client.ts'
import { playMailLogScene } from '../harness/mail/mail-log-scene.ts'
import { openMailNetwork } from '../harness/mail/mail-network.ts'
import { openPostfix, openPostfixPair } from '../harness/mail/postfix.ts'
import { openInstallation } from '../harness/programs/installation.ts'
import { eventually } from '../harness/programs/tail-process.ts'
import { openTemporaryFolder } from '../harness/temporary-folder.ts'

const isRoot = process.getuid?.() === 0

test('a second instance sends what the first one accepts, and each message is one, with one Reception', {
  skip: !isRoot,
}, async (t) => {
  const compared = await playMailLogScene({
    dialect: 'postfix',
    openServer: async (folder, network) => openPostfixPair({ folder, network, port: await findFreePort() }),
  })
  t.diagnostic(compared)
})

test('a content filter returns all mail, with the queue id or without, and the log agrees with the hosts', {
  skip: !isRoot,
}, async (t) => {
  for (const passesOnIds of ['yes', 'no']) {
    const compared = await playMailLogScene({
      dialect: 'postfix',
      async openServer(folder, network) {
        const [port, filteredPort] = [await findFreePort(), await findFreePort()]
        const settings = {
          enable_long_queue_ids: 'no',
          content_filter: `smtp:[127.0.0.1]:${filteredPort}`,
          smtp_send_xforward_command: passesOnIds,
          smtpd_authorized_xforward_hosts: '127.0.0.0/8',
        }
        return openPostfix({ folder, network, port, filteredPort, settings })
      },
    })
    t.diagnostic(compared)
  }
})

test('a message that a program on the machine submits belongs to the domain that the queue manager logs', {
  skip: !isRoot,
}, async () => {
  using installation = await openInstallation()
  using folder = openTemporaryFolder()
  await using network = await openMailNetwork(folder.path)
  const settings = { myorigin: 'acme.test' }
  await using postfix = await openPostfix({ folder: folder.path, network, port: await findFreePort(), settings })
  postfix.sendmail('ok1@plain.example', 'Subject: From a program\n\nHello.\n')
  postfix.sendmail('no2@plain.example', 'Subject: From a program\n\nHello.\n')
  const logged = () => readFileSync(postfix.logFile, 'utf8')
  await eventually(async () =>
    /to=<no2@.*status=/.test(logged()) && /to=<ok1@.*status=/.test(logged()) ? undefined : logged(),
  )
  assert.match(logged(), /pickup\[\d+\]: \w+: uid=0 from=<root>\n/)

  const { stdout } = await installation.cli('--json', 'import', '--format', 'postfix', postfix.logFile)
  assert.partialDeepStrictEqual(JSON.parse(stdout), { stored: 4, duplicates: 0, rejected: 0 })
  await using server = await installation.start()
  const events = await new LogClient(server.address, installation).listAll('acme.test')
  assert.deepEqual(events.map(({ type, recipient, sender }) => `${type} ${recipient} ${sender}`).sort(), [
    'Bounce no2@plain.example root@acme.test',
    'Delivery ok1@plain.example root@acme.test',
    'Reception no2@plain.example root@acme.test',
    'Reception ok1@plain.example root@acme.test',
  ])
})
