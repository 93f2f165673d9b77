/** The examples in docs/examples.md, run as they are printed: by a shell with curl, and by Python. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, test } from 'node:test'
import { EnvelogClient } from '../../clients/typescript/src/index.ts'
import { CALLS, WITHOUT_EXAMPLE } from '../../scripts/examples/calls.ts'
import { listRoutes } from '../../src/http/access/access.ts'
import { openAppFixture } from '../harness/app/app-fixture.ts'
import { readDocument } from '../harness/documents.ts'
import { runCli } from '../harness/programs/run-cli.ts'
import { cleanEnvironment, type ServerProcess, serveProcess } from '../harness/programs/server-process.ts'

const { text: document } = readDocument('docs/examples.md')
const endpoints = Object.keys(CALLS)

/** In the order of the document; the first is the preamble. */
function blocksOf(language: string): readonly string[] {
  return [...document.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'gms'))].map(([, block = '']) => block)
}

/** Runs each block by itself: its exit status, and what it printed. */
const SHELL = `i=0
while [ -f "block-$i" ]; do
  sh -e "./block-$i" > "out-$i" 2>&1
  echo "$i $?"
  i=$((i + 1))
done`

/** As separate programs would be, without starting an interpreter for each. */
const PYTHON = `import json, sys, urllib.error
preamble, *blocks = json.load(sys.stdin)
scope = {}
exec(preamble, scope)
print_ = print
for index, block in enumerate(blocks):
    try:
        scope["print"] = lambda *words: None
        exec(block, scope)
        print_(index, 200)
    except urllib.error.HTTPError as error:
        print_(index, error.code, error.read().decode())
    except Exception as error:
        print_(index, 0, repr(error))`

async function run(
  program: string,
  args: readonly string[],
  options: { cwd: string; env: NodeJS.ProcessEnv; input?: string },
) {
  const child = spawn(program, args, { cwd: options.cwd, env: options.env, stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin.end(options.input)
  const [stdout, [exitCode]] = await Promise.all([text(child.stdout), once(child, 'exit')])
  assert.equal(exitCode, 0, stdout)
  return stdout.trimEnd().split('\n')
}

/** What the reader has from earlier responses. */
async function prepare(server: ServerProcess): Promise<Record<string, string>> {
  const cli = async (...args: readonly string[]) => {
    const options = { cwd: server.dataDir, env: { ENVELOG_DATA_DIR: server.dataDir } }
    const { exitCode, stdout, stderr } = await runCli([...args, '--json'], options)
    assert.equal(exitCode, 0, stderr)
    return JSON.parse(stdout) as Record<string, string>
  }
  const { key: ADMIN_KEY = '' } = await cli('key', 'create', '--operator', '--scope', 'admin')
  const client = new EnvelogClient({ url: server.address, key: ADMIN_KEY })
  await client.call('createTenant', { body: { name: 'Acme' } })
  const { id: TENANT_ID } = await client.call('createTenant', { body: { name: 'Initech' } })
  const { id: DOMAIN_ID } = await client.call('addDomain', {
    body: { name: 'acme.test', tenant: 'Acme', active: true },
  })
  await client.call('addDomain', { body: { name: 'old.acme.test', tenant: 'Acme', active: true } })
  const { key: KEY } = await client.call('createKey', { body: { tenant: 'Acme' } })
  const { id: KEY_ID } = await client.call('createKey', { body: { tenant: 'Acme' } })
  const { key: INGEST_KEY } = await client.call('createKey', { body: { scopes: ['ingest'] } })
  const { selector: SELECTOR } = await client.call('rotateDkimKey', { path: { name: 'old.acme.test' }, body: {} })
  const { address: RETURN_PATH } = await client.call('makeReturnPath', {
    body: { domain: 'acme.test', messageId: 'message-1' },
  })
  const { id: REMOVAL_ID } = await client.call('eraseRecipient', { body: { address: 'nobody@example.org' } })
  await (await client.call('rotateSecret')).text()
  const { secrets } = await client.call('listSecrets')
  const SECRET_ID = secrets.at(-1)?.id ?? ''
  const NOW = String(Math.floor(Date.now() / 1000))
  return {
    URL: server.address,
    KEY,
    INGEST_KEY,
    ADMIN_KEY,
    TENANT_ID,
    DOMAIN_ID,
    KEY_ID,
    SELECTOR,
    RETURN_PATH,
    REMOVAL_ID,
    SECRET_ID,
    NOW,
    OLD_DOMAIN: 'old.acme.test',
  }
}

/** Nobody answers there, at once. */
const ENV = { ENVELOG_DNS_SERVERS: '127.0.0.1:9' }

describe('docs/examples.md', () => {
  test('has an example of every endpoint, or a reason why not', async () => {
    await using fixture = await openAppFixture()
    const routes = listRoutes(fixture.app).filter(({ method, schema }) => method !== 'HEAD' && schema?.hide !== true)
    const served = routes.map(({ method, url }) => `${String(method)} ${url.replaceAll(/:(\w+)/g, '{$1}')}`)
    assert.deepEqual([...endpoints, ...Object.keys(WITHOUT_EXAMPLE)].sort(), served.sort())
  })

  test('its examples for curl succeed', async () => {
    await using server = await serveProcess({ env: ENV })
    const blocks = blocksOf('sh').slice(1)
    assert.equal(blocks.length, endpoints.length)
    for (const [index, block] of blocks.entries()) writeFileSync(join(server.dataDir, `block-${index}`), block)
    // As after `curl --fail`; a stream is left after two seconds.
    writeFileSync(join(server.dataDir, '.curlrc'), 'silent\nshow-error\nfail-with-body\nmax-time = 20\n')
    const env = { ...cleanEnvironment(), ...(await prepare(server)), HOME: server.dataDir }
    for (const [index, endpoint] of endpoints.entries()) {
      if (CALLS[endpoint]?.isStream !== true) continue
      writeFileSync(join(server.dataDir, `block-${index}`), `${blocks[index]?.trim()} --max-time 2 || [ $? = 28 ]`)
    }
    const results = await run('sh', ['-c', SHELL], { cwd: server.dataDir, env })
    const failed = results.filter((line, index) => {
      const isRefused = CALLS[endpoints[index] ?? '']?.status !== undefined
      return line !== `${index} ${isRefused ? 22 : 0}`
    })
    assert.deepEqual(
      failed.map((line) => `${endpoints[Number(line.split(' ')[0])]}: ${line}`),
      [],
    )
  })

  test('its examples for Python succeed', async () => {
    await using server = await serveProcess({ env: ENV })
    const env = { ...cleanEnvironment(), ...(await prepare(server)) }
    const input = JSON.stringify(blocksOf('python'))
    const results = await run('/usr/bin/python3', ['-c', PYTHON], { cwd: server.dataDir, env, input })
    const failed = results.filter((line, index) => {
      return !line.startsWith(`${index} ${CALLS[endpoints[index] ?? '']?.status ?? 200}`)
    })
    assert.deepEqual(
      failed.map((line) => `${endpoints[Number(line.split(' ')[0])]}: ${line}`),
      [],
    )
    assert.equal(results.length, endpoints.length)
  })
})
