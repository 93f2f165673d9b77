/** What is counted by network, key or tenant is forgotten when nothing is left to count: strangers choose how many there are. */
import assert from 'node:assert/strict'
import { Socket } from 'node:net'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { BodyMemory } from '../request/body-memory.ts'
import { FollowedDomains } from '../v1/log/following/followed-domains.ts'
import { TenantPlaces } from '../v1/log/tenant-places.ts'
import { AnswerMemory } from './answer-memory.ts'
import { Connections } from './connections.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

const MEGABYTE = 1024 * 1024
const NAMES = 20_000
const FILLER = 'x'.repeat(1000)

const ANSWER_LIMITS = {
  answerMemoryBytes: 1e9,
  answerMemoryBytesPerNetwork: 1e9,
  answerStallMs: 1,
  answerBytesPerSecond: 1,
}

/** Each opens something, and returns how a name is used once. */
const COUNTED: readonly (readonly [what: string, open: () => (name: string) => unknown])[] = [
  [
    'connections of a network',
    () => {
      const all = new Connections({ connections: 10, connectionsPerNetwork: 10 }, () => undefined)
      return (name: string) => {
        const socket = new Socket()
        all.add(socket, name, 0)
        socket.emit('close')
      }
    },
  ],
  [
    'responses of a network',
    () => {
      const memory = new AnswerMemory(ANSWER_LIMITS, () => undefined)
      const socket = new Socket()
      return (name: string) => {
        memory.hold(socket, name, 5, 0)
        memory.release(socket)
      }
    },
  ],
  [
    'bodies of a key',
    () => {
      const memory = new BodyMemory(100)
      return (name: string) => memory.lend(name, async (loan) => loan.reserve(5))
    },
  ],
  [
    'places of a tenant',
    () => {
      const places = new TenantPlaces('exports', { perTenant: 1, altogether: 1 })
      return (name: string) => places.take(name)[Symbol.dispose]()
    },
  ],
  [
    'domains of a stream',
    () => {
      let number = 0
      const domains = new FollowedDomains<object>(
        async () => [{ number: ++number, name: 'a.test' }],
        () => undefined,
      )
      return async (name: string) => {
        const stream = {}
        domains.add(stream, { tenantId: name, names: undefined })
        await domains.lookUp(stream)
        domains.delete(stream)
      }
    },
  ],
]

for (const [what, open] of COUNTED) {
  test(what, async () => {
    const use = open()
    collectGarbage()
    const before = process.memoryUsage().heapUsed
    for (let index = 0; index < NAMES; index++) await use(Buffer.from(`${index}${FILLER}`).toString('latin1'))
    collectGarbage()
    const taken = process.memoryUsage().heapUsed - before
    // The names alone would be 20 MB.
    assert.ok(taken < 6 * MEGABYTE, `${Math.round(taken / MEGABYTE)} MB`)
    await use('it still works')
  })
}
