/** What a stolen backup is worth, what a restore needs, and a rotation that is killed. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { writeToken } from '../../src/lib/sealing/sealed-token.ts'
import { createSealer } from '../../src/lib/sealing/sealer.ts'
import { type Installation, openInstallation } from '../harness/programs/installation.ts'
import { runCli } from '../harness/programs/run-cli.ts'
import { serveProcess } from '../harness/programs/server-process.ts'
import { openTemporaryFolder } from '../harness/temporary-folder.ts'

const COOKIE = 'envelog_session'

let installation: Installation
let folder: ReturnType<typeof openTemporaryFolder>
before(async () => {
  installation = await openInstallation()
  folder = openTemporaryFolder()
})
after(() => {
  installation[Symbol.dispose]()
  folder[Symbol.dispose]()
})

async function cli(dataDir: string, args: readonly string[], env: Record<string, string> = {}) {
  return runCli(args, { cwd: folder.path, env: { ENVELOG_DATA_DIR: dataDir, ...env } })
}

/** Backs up and restores. Returns the output of the backup, and the restored folder. */
async function copy(dataDir: string, name: string, flags: readonly string[] = [], env: Record<string, string> = {}) {
  const backups = join(folder.path, `${name}-backups`)
  const { stdout, stderr, exitCode } = await cli(dataDir, ['backup', backups, ...flags], env)
  assert.equal(exitCode, 0, stderr)
  const [, backup = ''] = /to (\S+);/.exec(stdout) ?? []
  const restored = join(folder.path, name)
  const outcome = await cli(restored, ['restore', backups])
  assert.equal(outcome.exitCode, 0, outcome.stderr)
  return { stdout, backup, restored, restoring: outcome.stdout }
}

async function exportKey(dataDir: string, env: Record<string, string> = {}): Promise<string> {
  const { stdout, stderr, exitCode } = await cli(dataDir, ['domain', 'export-key', 'acme.test'], env)
  assert.equal(exitCode, 0, stderr)
  assert.match(stdout, /BEGIN PRIVATE KEY/)
  return stdout
}

async function signIn(address: string): Promise<string> {
  const body = JSON.stringify({ key: installation.tenantKey })
  const answer = await fetch(`${address}/v1/session`, { method: 'POST', body })
  assert.equal(answer.status, 200)
  return (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
}

const statusOf = async (address: string, cookie: string) =>
  (await fetch(`${address}/v1/session`, { headers: { cookie } })).status

/** Every session that the holder of this secret can make, in the layouts of this version and the one before. */
function forgeSessions(secret: Buffer, keyId: string): readonly string[] {
  const [nowMs, yearMs] = [Date.now(), 365 * 86_400_000]
  const times = [nowMs + 3_600_000, nowMs + yearMs]
  return times.flatMap((expiresAtMs) => {
    const common = { keyId, csrfToken: 'x', expiresAtMs }
    const layouts = [
      { layout: 1, ...common },
      { layout: 2, ...common, id: 'x', epoch: 0, issuedAtMs: nowMs },
    ]
    return layouts.map((session) => `${COOKIE}=${writeToken(createSealer(secret, 'session'), session)}`)
  })
}

describe('a stolen backup', () => {
  test('gives no access to the running server, nor to the restored one with the sessions of the other', async () => {
    await using server = await installation.start()
    const cookie = await signIn(server.address)
    const { stdout, backup, restored: stolen } = await copy(installation.dataDir, 'stolen')
    assert.match(stdout, /The backup contains master\.key/)
    assert.deepEqual(
      readdirSync(backup).filter((file) => file.endsWith('.key')),
      ['master.key'],
    )
    const keyId = installation.tenantKey.split('_')[1] ?? ''
    for (const forged of forgeSessions(readFileSync(join(backup, 'master.key')), keyId)) {
      assert.equal(await statusOf(server.address, forged), 401)
    }
    assert.equal(await statusOf(server.address, cookie), 200)
    const control = readFileSync(join(backup, 'control.db'))
    assert(!control.includes(readFileSync(join(installation.dataDir, 'access.key'))))

    await using restored = await serveProcess({ dataDir: stolen })
    assert.equal(await statusOf(restored.address, cookie), 401)
    const theirs = await signIn(restored.address)
    assert.equal(await statusOf(restored.address, theirs), 200)
    assert.equal(await statusOf(server.address, theirs), 401)
    assert.equal(await statusOf(server.address, cookie), 200)
  })
})

describe('restoring', () => {
  let pem: string
  before(async () => {
    pem = await exportKey(installation.dataDir)
  })

  test('a backup with the secret needs nothing else', async () => {
    const { restored } = await copy(installation.dataDir, 'whole')
    assert.equal(await exportKey(restored), pem)
  })

  test('a backup without the secret needs it, as a file in its place or from the operator', async () => {
    const { stdout, restored, restoring } = await copy(installation.dataDir, 'apart', ['--without-secret'])
    assert.match(stdout, /does not contain the secret.*you need the secret [0-9a-f]{16}/)
    assert.match(restoring, /does not contain the secret: the server needs the secret [0-9a-f]{16}/)
    assert(!existsSync(join(restored, 'master.key')))
    const refused = await cli(restored, ['domain', 'list'])
    assert.equal(refused.exitCode, 1)
    assert.match(refused.stderr, /master\.key is missing: the data needs the secret with the id [0-9a-f]{16}/)
    assert(!existsSync(join(restored, 'master.key')), 'no other one is made')
    const secret = readFileSync(join(installation.dataDir, 'master.key'))
    assert.equal(await exportKey(restored, { ENVELOG_SECRET: secret.toString('hex') }), pem)
    cpSync(join(installation.dataDir, 'master.key'), join(restored, 'master.key'))
    assert.equal(await exportKey(restored), pem)
  })

  test('a backup of an installation whose operator keeps the secret needs that secret', async () => {
    const { restored: moved } = await copy(installation.dataDir, 'moved')
    const secretFile = join(folder.path, 'secret')
    writeFileSync(secretFile, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600 })
    const env = { ENVELOG_SECRET_FILE: secretFile }
    const rotated = await cli(moved, ['secret', 'rotate'], env)
    assert.equal(rotated.exitCode, 0, rotated.stderr)
    assert(!existsSync(join(moved, 'master.key')))
    const { stdout, restored } = await copy(moved, 'copy-of-moved', [], env)
    assert.match(stdout, /does not contain the secret/)
    assert.deepEqual(
      readdirSync(restored).filter((file) => file.endsWith('.key')),
      [],
    )
    assert.equal(await exportKey(restored, env), pem)
    rmSync(join(restored, 'access.key'))
    const wrong = { ENVELOG_SECRET: randomBytes(32).toString('hex') }
    for (const [other, message] of [
      [{}, /master\.key is missing: the data needs the secret/],
      [wrong, /does not belong to the data. The data needs the secret with the id/],
    ] as const) {
      const refused = await cli(restored, ['domain', 'list'], other)
      assert.equal(refused.exitCode, 1)
      assert.match(refused.stderr, message)
      assert(!refused.stderr.includes(wrong.ENVELOG_SECRET))
      await assert.rejects(serveProcess({ dataDir: restored, env: other }), message)
    }
    const shown = await cli(restored, ['config', 'check'], wrong)
    assert.equal(shown.exitCode, 0)
    assert(!shown.stdout.includes(wrong.ENVELOG_SECRET))
  })
})

test('a rotation that is killed at any moment loses nothing, and the next start completes it', async () => {
  const pem = await exportKey(installation.dataDir)
  const { stdout } = await installation.cli('key', 'create', '--operator', '--scope', 'admin', '--json')
  const { key } = JSON.parse(stdout) as { key: string }
  const headers = { authorization: key }
  for (let round = 0; round < 3; round++) {
    await using server = await installation.start()
    const url = `${server.address}/v1/admin/secrets/rotate`
    const rotation = fetch(url, { method: 'POST', headers }).catch(() => undefined)
    // Before it is answered, with its first line, or with its last.
    if (round > 0) await (await rotation)?.body?.getReader().read()
    await server.kill()
    await rotation
    assert.equal(await exportKey(installation.dataDir), pem)
  }
  await using server = await installation.start()
  const list = async () => {
    const answer = await fetch(`${server.address}/v1/admin/secrets`, { headers })
    return (await answer.json()) as { secrets: { id: string; resealedAt: string | null }[] }
  }
  let { secrets } = await list()
  assert(secrets.length >= 2)
  for (let tries = 0; secrets[0]?.resealedAt === null && tries < 200; tries++) ({ secrets } = await list())
  assert.notEqual(secrets[0]?.resealedAt, null)
  for (const { id } of secrets.slice(1)) {
    assert.equal((await installation.cli('secret', 'forget', id)).exitCode, 0)
  }
  assert.equal((await list()).secrets.length, 1)
  assert.equal(await exportKey(installation.dataDir), pem)
  assert.deepEqual(
    readdirSync(installation.dataDir).filter((file) => file.startsWith('master')),
    ['master.key'],
  )
})

test('a server on all addresses without a proxy warns in one line, and so does one that root runs', async () => {
  await using server = await installation.start({ ENVELOG_HOST: '0.0.0.0' })
  const expected = [
    /without TLS, and ENVELOG_TRUSTED_PROXIES is not set/,
    ...(process.geteuid?.() === 0 ? [/The server runs as root/] : []),
  ]
  const warnings = () =>
    server
      .logs()
      .split('\n')
      .filter((line) => line.includes('"level":40'))
  const deadlineMs = performance.now() + 20_000
  while (warnings().length < expected.length && performance.now() < deadlineMs) await delay(20)
  for (const warning of expected) assert.equal(warnings().filter((line) => warning.test(line)).length, 1)
})

test('ending all sessions by a command ends those of the running server at once', async () => {
  await using server = await installation.start()
  const cookie = await signIn(server.address)
  assert.equal(await statusOf(server.address, cookie), 200)
  const { exitCode, stdout } = await installation.cli('secret', 'rotate', '--sessions')
  assert.equal(exitCode, 0)
  assert.match(stdout, /everybody has to sign in again/)
  assert.equal(await statusOf(server.address, cookie), 401)
  assert.equal(await statusOf(server.address, await signIn(server.address)), 200)
})
