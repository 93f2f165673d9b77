import assert from 'node:assert/strict'
import { join } from 'node:path'
import { json, text } from 'node:stream/consumers'
import { test } from 'node:test'
import { openTemporaryFolder } from '../test/harness/temporary-folder.ts'
import { loadConfig } from './config/load-config.ts'
import { openLocalApp } from './open-local-app.ts'
import { openService } from './open-service.ts'

test('without a server, a command administers and ingests through the same routes in its own process', async () => {
  using folder = openTemporaryFolder()
  const service = await openService(loadConfig({ ENVELOG_DATA_DIR: join(folder.path, 'data') }))
  const app = await openLocalApp(service)
  const post = (path: string, body: object) => app.request({ method: 'POST', path, body: JSON.stringify(body) })
  assert.equal((await post('/v1/admin/tenants', { name: 'Acme' })).status, 201)
  const added = await post('/v1/admin/domains', { name: 'acme.test', tenant: 'Acme', active: true })
  assert.equal(added.status, 201)
  const sent = await app.request({
    method: 'POST',
    path: '/ingest/events',
    body: Buffer.from(
      JSON.stringify({
        id: 'one',
        timestamp: Math.floor(service.clock() / 1000),
        type: 'Delivery',
        domain_name: 'acme.test',
        recipient: 'bob@example.net',
      }),
    ),
  })
  assert.deepEqual([sent.status, ((await json(sent.body)) as { stored: number }).stored], [200, 1])
  const listed = await app.request({ method: 'GET', path: '/v1/admin/domains', query: { tenant: 'Acme', take: '1' } })
  assert.match(await text(listed.body), /"count":1/)
  const refused = await app.request({ method: 'GET', path: '/v1/admin/domains', query: { take: 'x' } })
  assert.equal(refused.status, 400)
  assert.equal((await app.request({ method: 'GET', path: '/docs' })).status, 404)
  await app.close()
  await service.close()
})
