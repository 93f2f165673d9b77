/** A connection that is kept open keeps nothing of its last request: strangers choose how many there are, and how large bodies are. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { type AppFixture, openAppFixture } from '../../../test/harness/app/app-fixture.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

const CONNECTIONS = 8
const BODY_BYTES = 4 * 1024 * 1024
const ROUNDS = 4

for (const [what, begins, status] of [
  ['stored', (fixture: AppFixture) => JSON.stringify(fixture.event()), 200],
  ['refused', () => 'no JSON', 400],
] as const) {
  test(`the body of a request that was ${what} is not kept by its idle connection`, async () => {
    await using fixture = await openAppFixture()
    const address = await fixture.app.listen({ port: 0, host: '127.0.0.1' })
    const agent = new Agent({ keepAlive: true })
    try {
      const body = Buffer.alloc(BODY_BYTES, ' ')
      body.write(begins(fixture))
      const post = async () => {
        const headers = { authorization: fixture.operatorKey }
        const sent = request(`${address}/ingest/events`, { agent, method: 'POST', headers })
        sent.end(body)
        const [response] = (await once(sent, 'response')) as [IncomingMessage]
        response.resume()
        await once(response, 'end')
        assert.equal(response.statusCode, status)
      }
      await post()
      const before = await bufferBytes()
      await Promise.all(Array.from({ length: CONNECTIONS }, post))
      const kept = (await bufferBytes()) - before

      assert.equal(Object.values(agent.freeSockets).flat().length, CONNECTIONS, 'all connections are still open')
      assert.ok(kept < BODY_BYTES, `${kept} bytes of ${CONNECTIONS} bodies`)
    } finally {
      agent.destroy()
    }
  })
}

/** Of both sides. Buffers that nobody needs are freed a while after they were found. */
async function bufferBytes(): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let round = 0; round < ROUNDS; round++) {
    collectGarbage()
    await new Promise((resolve) => setTimeout(resolve, 50))
    least = Math.min(least, process.memoryUsage().arrayBuffers)
  }
  return least
}
