/** The audit log of a real installation: of commands without a server, of a server that is killed, exported to a file. */
import assert from 'node:assert/strict'
import { readFileSync, statSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { AuditEntry } from '../../src/http/v1/administration/audit/audit-log.wire.ts'
import { runCli } from '../harness/programs/run-cli.ts'
import { serveProcess } from '../harness/programs/server-process.ts'
import { openTemporaryFolder } from '../harness/temporary-folder.ts'

describe('the audit log', () => {
  test('has what commands did without a server and with one, and what a killed server had acknowledged', async () => {
    using folder = openTemporaryFolder()
    const dataDir = join(folder.path, 'data')
    const run = async (...args: string[]) => {
      const result = await runCli([...args, '--json'], { cwd: folder.path })
      assert.equal(result.exitCode, 0, result.stderr)
      return JSON.parse(result.stdout) as Record<string, unknown>
    }

    await run('tenant', 'create', 'Acme')
    const { key, id: operatorId } = await run('key', 'create', '--operator', '--scope', 'admin')
    const server = await serveProcess({ dataDir })
    const { id } = await run('key', 'create', '--tenant', 'Acme')
    await run('track', 'secret')
    const revoked = await fetch(`${server.address}/v1/admin/keys/${String(id)}`, {
      method: 'DELETE',
      headers: { authorization: String(key) },
    })
    assert.equal(revoked.status, 204)
    // At once: the entry must be durable by now.
    await server.kill()

    const { entries } = (await run('audit', 'list')) as { entries: AuditEntry[] }
    const local = { type: 'local', id: userInfo().username, name: null, address: null }
    const operator = { type: 'operator', id: operatorId, name: null, address: '127.0.0.1' }
    assert.deepEqual(
      entries.map(({ action, object, actor, outcome }) => ({ action, object, actor, outcome })),
      [
        { action: 'revokeKey', object: id, actor: operator, outcome: 'success' },
        { action: 'getTrackingSecret', object: null, actor: local, outcome: 'success' },
        { action: 'createKey', object: id, actor: local, outcome: 'success' },
        { action: 'createKey', object: operatorId, actor: local, outcome: 'success' },
        { action: 'createTenant', object: 'Acme', actor: local, outcome: 'success' },
      ],
    )

    const { file, bytes } = await run('audit', 'export', '--action', 'createKey', 'keys.ndjson')
    assert.equal(file, 'keys.ndjson')
    const path = join(folder.path, 'keys.ndjson')
    assert.equal(statSync(path).size, bytes)
    assert.equal(statSync(path).mode & 0o777, 0o600)
    const lines = readFileSync(path, 'utf8').trimEnd().split('\n')
    assert.deepEqual(
      lines.map((line) => JSON.parse(line) as AuditEntry),
      entries.filter(({ action }) => action === 'createKey'),
    )
    const again = await runCli(['audit', 'export', 'keys.ndjson'], { cwd: folder.path })
    assert.equal(again.exitCode, 1)
    assert.match(again.stderr, /the file exists already/)
    assert.equal(statSync(path).size, bytes)
    const printed = await runCli(['audit', 'export', '--format', 'csv', '-'], { cwd: folder.path })
    assert.equal(printed.stdout.trimEnd().split('\r\n').length, 1 + entries.length)
    const shown = await runCli(['audit', 'list', '--limit', '1'], { cwd: folder.path })
    assert.match(shown.stdout, /^TIME .*ACTION.*\n.* operator .* revokeKey .* success \(204\)\n\nThere may be more/)
  })
})
