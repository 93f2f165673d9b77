/** A real Exim sends; Envelog's log must agree with what the hosts did. */
import { test } from 'node:test'
import { findFreePort } from '../harness/free-port.ts'
import { openExim } from '../harness/mail/exim.ts'
import { playMailLogScene } from '../harness/mail/mail-log-scene.ts'

const isRoot = process.getuid?.() === 0

test('the log agrees with what the hosts did, although all processes are killed meanwhile', {
  skip: !isRoot,
}, async (t) => {
  const compared = await playMailLogScene({
    dialect: 'exim',
    openServer: async (folder, network) => openExim({ folder, network, port: await findFreePort() }),
    // Exim logs TLS only with final outcomes, and uses GnuTLS's names of ciphers.
    logsTls: ({ code }) => code >= 500 || (code >= 200 && code < 300),
    cipherName: (name) => /AES_\d+_GCM|CHACHA20_POLY1305/.exec(name)?.[0] ?? name,
  })
  t.diagnostic(compared)
})
