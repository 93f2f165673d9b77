/** A real Exim sends; Envelog's log must agree with what the hosts did. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EximLog } from '../../src/connectors/exim/exim-log.ts'
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
    inspectLog: (lines) => t.diagnostic(`${assertSendingAddresses(lines)} attempts with the sending address`),
  })
  t.diagnostic(compared)
})

/** Whenever Exim reached a host; returns how often. */
function assertSendingAddresses(lines: readonly string[]): number {
  const log = new EximLog({ remembered: [], host: 'mail', nowMs: Date.now })
  const outcomes = lines.flatMap((line) => log.read(line)).filter(({ event }) => event['peer_name'] !== undefined)
  const replied = outcomes.filter(({ event }) => event['response_code'] !== 400)
  assert.ok(replied.length > 10, String(replied.length))
  for (const { event, extension } of replied) {
    assert.match(extension?.sending_address ?? '', /^127\./, JSON.stringify(event))
    assert.equal(extension?.sending_source, 'remote_smtp')
  }
  return replied.length
}
