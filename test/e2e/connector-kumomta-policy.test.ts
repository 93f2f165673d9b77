/** Our policy helper for KumoMTA in a real Lua interpreter, against a real server; test/harness/mail/kumomta stubs KumoMTA's functions. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { LogClient } from '../harness/log/log-client.ts'
import { type Installation, openInstallation } from '../harness/programs/installation.ts'
import type { ServerProcess } from '../harness/programs/server-process.ts'

const ROOT = join(import.meta.dirname, '../..')
const HARNESS = join(ROOT, 'test/harness/mail/kumomta')
const LUA_PATH = `${HARNESS}/?.lua;${ROOT}/integrations/kumomta/?.lua`
const sample = JSON.parse(
  readFileSync(join(ROOT, 'src/connectors/kumomta/testdata/01-delivery.in.json'), 'utf8'),
) as object

function runLua(script: string, ...args: readonly string[]): Promise<string> {
  const child = spawn('lua5.4', [join(HARNESS, script), ...args], { env: { ...process.env, LUA_PATH } })
  child.stderr.pipe(process.stderr)
  return text(child.stdout)
}

describe('the policy helper', () => {
  let installation: Installation
  let server: ServerProcess
  let folder: string
  before(async () => {
    installation = await openInstallation()
    server = await installation.start()
    folder = dirname(installation.dataDir)
    writeFileSync(join(folder, 'key'), `${installation.ingestKey}\n`)
    writeFileSync(join(folder, 'wrong-key'), 'env_nobody')
  })
  after(async () => {
    await server[Symbol.asyncDispose]()
    installation[Symbol.dispose]()
  })

  function writeRecords(...ids: readonly string[]): string {
    const path = join(folder, 'records')
    const timestamp = Math.floor(Date.now() / 1000)
    writeFileSync(path, ids.map((id) => `${JSON.stringify({ ...sample, id, timestamp, meta: {} })}\n`).join(''))
    return path
  }

  const send = (records: string, key: string, ...rest: readonly string[]) =>
    runLua('send-records.lua', `${server.address}/`, join(folder, key), records, ...rest)

  test('delivers a batch, and records sent again are recognized', async () => {
    const records = writeRecords('a1', 'a2', 'a3')
    assert.match(await send(records, 'key'), /^delivered\t200 \{"stored":3,"duplicates":0,"rejected":\[\]\}/)
    assert.match(await send(records, 'key'), /^delivered\t200 \{"stored":0,"duplicates":3,"rejected":\[\]\}/)
    const listed = await new LogClient(server.address, installation).listAll('acme.test')
    assert.equal(listed.length, 3)
  })

  test('delivers records one at a time if the batch size is one', async () => {
    assert.match(await send(writeRecords('b1'), 'key', '1'), /^delivered\t200 \{"stored":1/)
  })

  test('requests a retry after any answer other than 2xx, which KumoMTA would otherwise treat as final', async () => {
    const records = writeRecords('c1')
    assert.match(await send(records, 'wrong-key'), /^rejected\t421\tEnvelog answered 401 /)
    writeFileSync(join(folder, 'rubbish'), 'rubbish\n')
    assert.match(await send(join(folder, 'rubbish'), 'key'), /^rejected\t421\tEnvelog answered 400 /)
  })

  test('throws if there is no answer, after which KumoMTA retries automatically', async () => {
    const said = await runLua('send-records.lua', 'http://127.0.0.1:1', join(folder, 'key'), writeRecords('d1'))
    assert.match(said, /^error\t.*connection refused/)
  })

  test('stores id, From and Subject of a message, overwriting values set by a client', async () => {
    const noted = (await runLua('note-message.lua')).trim().split('\n')
    assert.deepEqual(noted, ['x_envelog_from=Acme <hello@acme.test>', 'x_envelog_id=1d98076abbbc11ed940250ebf67f93bd'])
  })
})
