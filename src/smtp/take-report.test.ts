import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SMTP_LIMITS } from './smtp-limits.ts'
import { SmtpRefusal, takeReport } from './take-report.ts'

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
