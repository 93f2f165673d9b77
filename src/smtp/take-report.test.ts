import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { SMTP_LIMITS } from './smtp-limits.ts'
import { SmtpRefusal, takeReport } from './take-report.ts'

const BYTES = 65_536

async function* chunks(bytes: number) {
  const chunk = Buffer.alloc(65_536, 'x')
  for (let sent = 0; sent < bytes; sent += chunk.length) yield chunk
}

test('a message that is too large is read to its end and rejected without being examined', async () => {
  const sender = { network: '192.0.2.1', charge: () => undefined, returnPath: '' }
  const reports = { examine: () => Promise.reject(new Error('must not be examined')) }
  await assert.rejects(
    takeReport({ reports }, sender, ['a@b.test'], chunks(SMTP_LIMITS.messageBytes + 1)),
    (error) => error instanceof SmtpRefusal && error.responseCode === 552,
  )
})

test('a message that is sent byte by byte takes as much memory as one that is sent at once', async () => {
  setFlagsFromString('--expose-gc')
  const collectGarbage = runInNewContext('gc') as () => void
  const memory = () => {
    collectGarbage()
    const { heapUsed, arrayBuffers } = process.memoryUsage()
    return heapUsed + arrayBuffers
  }
  let taken = 0
  async function* byteByByte() {
    const before = memory()
    for (let sent = 0; sent < BYTES; sent++) yield Buffer.alloc(1, 'x')
    taken = memory() - before
  }
  let received = 0
  const examine = (payload: Uint8Array) => {
    received = payload.length
    return Promise.reject(new SmtpRefusal(554, 'enough'))
  }
  const sender = { network: '192.0.2.1', charge: () => undefined, returnPath: '' }
  await assert.rejects(takeReport({ reports: { examine } }, sender, ['a@b.test'], byteByByte()), SmtpRefusal)
  assert.ok(received > BYTES)
  // A buffer for each byte would be more than 10 MB.
  assert.ok(taken < 16 * BYTES, `${taken} bytes`)
})
