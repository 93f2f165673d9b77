/** The server as a process: how it starts, how it handles signals, and that it leaves no temporary files. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, test } from 'node:test'
import { LAUNCHER } from '../harness/programs/program-files.ts'
import { runCli } from '../harness/programs/run-cli.ts'
import { cleanEnvironment, type ServerProcess, serveProcess } from '../harness/programs/server-process.ts'
import { openTemporaryFolder } from '../harness/temporary-folder.ts'

type Json = Record<string, unknown>

async function cliJson(cwd: string, ...args: string[]): Promise<Json> {
  const { exitCode, stdout, stderr } = await runCli([...args, '--json'], { cwd })
  assert.equal(exitCode, 0, stderr)
  return JSON.parse(stdout) as Json
}

/** A folder with a tenant, a domain and a key for ingest, and a server on it. */
async function openServed() {
  const folder = openTemporaryFolder()
  await cliJson(folder.path, 'tenant', 'create', 'Acme')
  await cliJson(folder.path, 'domain', 'add', 'shop.acme.example', '--tenant', 'Acme')
  const { id, key } = await cliJson(folder.path, 'key', 'create', '--operator', '--scope', 'ingest')
  const server = await serveProcess({ dataDir: join(folder.path, 'data') })
  return {
    path: folder.path,
    keyId: String(id),
    key: String(key),
    server,
    async [Symbol.asyncDispose]() {
      await server.stop()
      folder[Symbol.dispose]()
    },
  }
}

function madeUpEvent(id: string): Json {
  return {
    id,
    timestamp: Math.floor(Date.now() / 1000),
    type: 'Delivery',
    domain_name: 'shop.acme.example',
    recipient: 'anna@gmail.com',
  }
}

/** An ingest request whose headers the server has seen and whose body is not sent yet. */
async function beginIngest(server: ServerProcess, key: string): Promise<ClientRequest> {
  const begun = request(`${server.address}/ingest/events`, {
    method: 'POST',
    headers: { authorization: key, 'content-type': 'application/json', expect: '100-continue' },
  })
  begun.flushHeaders()
  await once(begun, 'continue')
  return begun
}

/** Resolves when the log has a line with this message. */
async function untilLogged(server: ServerProcess, message: string): Promise<void> {
  while (!server.logs().includes(`"msg":"${message}"`)) await new Promise(setImmediate)
}

async function firstJson(child: ChildProcess): Promise<Json> {
  let output = ''
  for await (const chunk of child.stdout ?? []) {
    output += String(chunk)
    if (output.endsWith('\n')) break
  }
  return JSON.parse(output) as Json
}

describe('a signal', () => {
  test('ends the server gracefully: requests in flight are completed and stored, then it exits with 0', async () => {
    await using served = await openServed()
    const { server, key, keyId } = served
    const ingest = await beginIngest(server, key)
    server.signal('SIGTERM')
    await untilLogged(server, 'closing')
    const answered = once(ingest, 'response') as Promise<[IncomingMessage]>
    ingest.end(JSON.stringify(madeUpEvent('in-flight')))
    const [response] = await answered
    assert.equal(response.statusCode, 200)
    assert.equal((JSON.parse(await text(response)) as Json)['stored'], 1)
    assert.equal(await server.exited, 0)
    assert.match(server.logs(), /"msg":"closed"/)

    const again = await cliJson(served.path, 'recount')
    assert.deepEqual(again, { ok: true, differences: [] })
    const { keys } = (await cliJson(served.path, 'key', 'list')) as { keys: Json[] }
    assert.notEqual(keys.find(({ id }) => id === keyId)?.['lastUsedAt'], null, 'the use of the key was written down')
  })

  test('sent a second time ends it at once', async () => {
    await using served = await openServed()
    const { server, key } = served
    const ingest = await beginIngest(server, key)
    ingest.on('error', () => undefined)
    server.signal('SIGINT')
    await untilLogged(server, 'closing')
    server.signal('SIGINT')
    assert.equal(await server.exited, 130)
  })

  test('reaches the server through bin/envelog, which prints only the address on stdout', async () => {
    using folder = openTemporaryFolder()
    const child = spawn(LAUNCHER, ['serve', '--json'], {
      cwd: folder.path,
      env: { ...cleanEnvironment(), ENVELOG_PORT: '0' },
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    const exited = once(child, 'exit')
    const { address } = await firstJson(child)
    assert.equal((await fetch(`${String(address)}/healthz`)).status, 200)
    child.kill('SIGTERM')
    assert.deepEqual(await exited, [0, null])
  })
})

test('after kill -9 the next server starts on the same folder and has everything acknowledged', async () => {
  await using served = await openServed()
  const headers = { authorization: served.key, 'content-type': 'application/json' }
  const body = JSON.stringify(madeUpEvent('acknowledged'))
  const send = async (server: ServerProcess) => {
    const response = await fetch(`${server.address}/ingest/events`, {
      method: 'POST',
      headers,
      body,
    })
    return (await response.json()) as Json
  }
  assert.equal((await send(served.server))['stored'], 1)
  await served.server.kill()
  await using next = await serveProcess({ dataDir: served.server.dataDir })
  assert.equal((await send(next))['duplicates'], 1)
})

describe('the configuration', () => {
  test('is applied: hosts, brand and the folder', async () => {
    await using server = await serveProcess({ env: { ENVELOG_LOGS_HOST: 'logs.acme.example', ENVELOG_BRAND: 'acme' } })
    assert.equal((await fetch(`${server.address}/webhooks/a.example`)).status, 404)
    assert.equal((await fetch(`${server.address}/domain/stats`)).status, 401)
    assert.ok(existsSync(join(server.dataDir, 'control.db')))
  })

  test('a placeholder as SPF include causes a warning at the start; your own does not', async () => {
    await using careless = await serveProcess()
    await using careful = await serveProcess({ env: { ENVELOG_SPF_INCLUDE: 'spf.acme.example' } })
    assert.match(careless.logs(), /ENVELOG_SPF_INCLUDE is not set/)
    assert.doesNotMatch(careful.logs(), /ENVELOG_SPF_INCLUDE/)
    assert.match(
      careless.stdout(),
      /envelog setup example\.com --tenant NAME/,
      'the first steps are shown while there is no tenant',
    )
  })
})

test('the demo serves fifteen days of events, generates more and deletes its data at the end', async () => {
  using folder = openTemporaryFolder()
  const demos = () => readdirSync(tmpdir()).filter((name) => name.startsWith('envelog-demo-'))
  const before = demos()
  const child = spawn(LAUNCHER, ['demo', '--json'], {
    cwd: folder.path,
    env: { ...cleanEnvironment(), ENVELOG_PORT: '0' },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const exited = once(child, 'exit')
  const demo = await firstJson(child)
  assert.ok(Number(demo['storedEvents']) > 20_000)
  const get = async (path: string) => {
    const response = await fetch(`${String(demo['address'])}${path}`, {
      headers: { authorization: String(demo['key']) },
    })
    assert.equal(response.status, 200)
    return (await response.json()) as Json
  }
  const { domains } = (await get('/api/v2/domain')) as { domains: { isActive: boolean; isVerified: boolean }[] }
  assert.deepEqual(
    new Set(domains.map(({ isActive, isVerified }) => `${isActive} ${isVerified}`)),
    new Set(['true true', 'true false', 'false false']),
  )
  const total = async () => {
    const stats = (await get('/domain/stats'))['domains'] as Record<string, { counts: { reception: number } }>
    return Object.values(stats).reduce((sum, { counts }) => sum + counts.reception, 0)
  }
  const atFirst = await total()
  while ((await total()) === atFirst) await new Promise(setImmediate)

  child.kill('SIGINT')
  assert.deepEqual(await exited, [0, null])
  assert.deepEqual(demos(), before)
})
