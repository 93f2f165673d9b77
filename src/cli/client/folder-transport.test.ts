import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openTemporaryFolder } from '../../../test/harness/temporary-folder.ts'
import { loadConfig } from '../../config/load-config.ts'
import { Client } from './client.ts'
import { FolderTransport } from './folder-transport.ts'

const configOf = (folder: string) => loadConfig({ ENVELOG_DATA_DIR: join(folder, 'data') })
const createTenant = (client: Client, name: string) =>
  client.request('POST', '/v1/admin/tenants', { body: { name }, mayCreate: true })

test('a request that may not create data refuses an empty folder and creates none', async () => {
  using folder = openTemporaryFolder()
  await using client = new Client(new FolderTransport(configOf(folder.path)))
  await assert.rejects(client.request('GET', '/v1/admin/tenants'), {
    code: 'not_found',
    message: /contains no data yet/,
  })
  assert.ok(!existsSync(join(folder.path, 'data')))
})

test('a process that sends for long lets go of the folder from time to time, and then waits for its turn', async () => {
  using folder = openTemporaryFolder()
  const config = configOf(folder.path)
  await using busy = new Client(new FolderTransport(config, 0))
  const other = new Client(new FolderTransport(config))
  await createTenant(busy, 'A')
  const waiting = createTenant(other, 'B').then(() => other[Symbol.asyncDispose]())
  await createTenant(busy, 'C')
  await waiting
  assert.partialDeepStrictEqual(await busy.request('GET', '/v1/admin/tenants'), {
    tenants: [{ name: 'A' }, { name: 'B' }, { name: 'C' }],
  })
})

test('a folder that was released is free for others, and opened again when needed', async () => {
  using folder = openTemporaryFolder()
  const config = configOf(folder.path)
  await using first = new Client(new FolderTransport(config))
  await using second = new Client(new FolderTransport(config))
  await createTenant(first, 'A')
  await first.release()
  await createTenant(second, 'B')
  await second.release()
  await createTenant(first, 'C')
})
