/** A real Postfix sends; Envelog's log must agree with what the hosts did. */
import { test } from 'node:test'
import { findFreePort } from '../harness/free-port.ts'
import { playMailLogScene } from '../harness/mail/mail-log-scene.ts'
import { openPostfix } from '../harness/mail/postfix.ts'

const isRoot = process.getuid?.() === 0

for (const longIds of ['yes', 'no']) {
  test(`the log agrees with what the hosts did, although all processes are killed, enable_long_queue_ids=${longIds}`, {
    skip: !isRoot,
  }, async (t) => {
    const settings = { enable_long_queue_ids: longIds }
    const compared = await playMailLogScene({
      dialect: 'postfix',
      openServer: async (folder, network) => openPostfix({ folder, network, port: await findFreePort(), settings }),
    })
    t.diagnostic(compared)
  })
}
