/** On the engine in memory; the whole endpoint is tested in stream.test.ts. */
import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import type { LogDomain } from '../../../../events/log/log-query.ts'
import { BUDGET_MS, burst, freshDomains, openModel, parse } from '../../../../storage/contract/log-scene.ts'
import type { Follower, Step } from './follower.ts'
import { Followers } from './followers.ts'

/** Rounds as often as possible, each with a heartbeat and a position to move on to. */
const RESTLESS = { roundMs: 1, heartbeatMs: -1, settledAfterMs: -1 }

function openScene(times?: typeof RESTLESS) {
  const log = openModel()
  const [own, foreign] = freshDomains()
  const scene = { domains: [own] as readonly LogDomain[], isAllowed: true, failure: undefined as Error | undefined }
  const followers = new Followers(
    log.arrivals,
    async () => {
      if (scene.failure) throw scene.failure
      return scene.domains
    },
    times,
  )
  const asked = { tenantId: 'acme', names: undefined }
  const join = () => followers.join({ asked, isAllowed: async () => scene.isAllowed })
  const read = (follower: Follower, after: string) =>
    follower.read((domains) => log.arrivals.list({ domains, filters: {}, after, limit: 100, budgetMs: BUDGET_MS }))
  /** The ids of everything after the position. */
  const rest = async (after: string) => {
    const query = { domains: scene.domains, filters: {}, after, limit: 1000, budgetMs: BUDGET_MS }
    return (await log.arrivals.list(query)).events.map(({ text }) => parse(text).id)
  }
  return { log, own, foreign, scene, followers, join, read, rest }
}

/** What a follower is asked to do without waiting. */
async function stepOf(follower: Follower): Promise<Step | 'wait'> {
  const waiting = new Promise<'wait'>((resolve) => setImmediate(() => resolve('wait')))
  return Promise.race([follower.next(), waiting])
}

describe('followers', () => {
  test('an arrival wakes the streams that follow its domain, and no others', async () => {
    const { log, own, foreign, followers, join, read } = openScene()
    const follower = join()
    assert.equal(await stepOf(follower), 'read', 'something may have arrived before')
    await read(follower, '0')
    assert.equal(await stepOf(follower), 'wait')
    await log.append([burst(1, foreign)])
    assert.equal(await stepOf(follower), 'wait')
    await log.append([burst(2, own)])
    assert.equal(await stepOf(follower), 'read')
    followers.leave(follower)
    assert.equal(await stepOf(follower), 'end')
  })

  test('an arrival during a read is read next', async () => {
    const { log, own, followers, join } = openScene()
    const follower = join()
    await follower.read(async () => {
      await log.append([burst(1, own)])
      return { events: [], position: '0', hasMore: false }
    })
    assert.equal(await stepOf(follower), 'read')
    followers.leave(follower)
  })

  test('a domain that is added during a read is read from the same position', async () => {
    const { log, own, foreign, scene, followers, join } = openScene()
    const follower = join()
    const after = await log.arrivals.last()
    const page = await follower.read(async (domains) => {
      if (scene.domains.length === 1) {
        scene.domains = [own, foreign]
        await log.append([burst(1, foreign)])
      }
      return log.arrivals.list({ domains, filters: {}, after, limit: 10, budgetMs: BUDGET_MS })
    })
    assert.deepEqual(
      page.events.map(({ text }) => parse(text).id),
      ['message-1'],
    )
    followers.leave(follower)
  })

  test('when one stream finds a new domain, the others of the tenant read it too', async () => {
    const { log, own, foreign, scene, followers, join, read } = openScene()
    const [idle, busy] = [join(), join()]
    for (const follower of [idle, busy]) await read(follower, '0')
    scene.domains = [own, foreign]
    await log.append([burst(1, foreign)])
    assert.equal(await stepOf(idle), 'wait', 'the domain is not known yet')
    await read(busy, '0')
    assert.equal(await stepOf(idle), 'read')
    for (const follower of [idle, busy]) followers.leave(follower)
  })

  test('an idle stream moves on past the events of others, and past none of its own', async () => {
    const { log, own, foreign, followers, join, read, rest } = openScene(RESTLESS)
    const follower = join()
    let after = await log.arrivals.last()
    const seen: string[] = []
    let movedPast = 0
    for (let index = 0; movedPast < 20; index++) {
      await log.append([burst(index, index % 7 === 0 ? own : foreign)])
      // Long enough for some rounds between two events.
      for (let steps = 0; steps < 3; steps++) {
        const step = await follower.next()
        assert.notEqual(step, 'end')
        if (step === 'read') {
          const page = await read(follower, after)
          seen.push(...page.events.map(({ text }) => parse(text).id))
          after = page.position
        } else {
          const next = follower.moveOn(after, followers.settled)
          if (next !== after) movedPast++
          after = next
        }
        // Those seen, and those that a client would get that resumes here, are all, each once.
        assert.deepEqual([...seen, ...(await rest(after))], await rest('0'))
      }
    }
    followers.leave(follower)
  })

  test('a tenant’s streams read a few at a time, and all of them in the end', async () => {
    const { followers, join } = openScene()
    const streams = Array.from({ length: 20 }, join)
    let [running, most, reads] = [0, 0, 0]
    const list = async () => {
      running += 1
      most = Math.max(most, running)
      await new Promise((resolve) => setImmediate(resolve))
      running -= 1
      reads += 1
      return { events: [], position: '0', hasMore: false }
    }
    await Promise.all(streams.map((follower) => follower.read(list)))
    assert.deepEqual([reads, most], [20, 4])
    for (const follower of streams) followers.leave(follower)
  })

  test('a stream whose reader was stalled moves on past nothing that it has not read', async () => {
    const { log, own, followers, join, read } = openScene()
    const follower = join()
    const { position } = await read(follower, '0')
    await log.append([burst(1, own)])
    const settled = { position: await log.arrivals.last(), takenAtMs: performance.now() + 1, announcements: 0 }
    assert.equal(follower.moveOn(position, settled), position)
    followers.leave(follower)
  })

  test('streams end when their key is no longer valid, and with the server; later ones at once', async () => {
    const { scene, followers, join, read } = openScene({ ...RESTLESS, heartbeatMs: 3_600_000 })
    const follower = join()
    await read(follower, '0')
    scene.isAllowed = false
    assert.equal(await follower.next(), 'end')
    scene.isAllowed = true
    const another = join()
    followers.close()
    const late = join()
    assert.deepEqual([await another.next(), await late.next()], ['end', 'end'])
    for (const ended of [follower, another, late]) followers.leave(ended)
  })

  test('streams end with the error if their domains cannot be looked up', async () => {
    const { scene, followers, join, read } = openScene({ ...RESTLESS, heartbeatMs: 3_600_000 })
    const follower = join()
    await read(follower, '0')
    scene.failure = new Error('the disk is gone')
    await assert.rejects(follower.next(), (error) => error instanceof Error && error.cause === scene.failure)
    followers.leave(follower)
  })

  test('nothing is watched any more when the last stream has ended, and it is again with the next one', async () => {
    let listeners = 0
    let lookUps = 0
    const { log, own } = openScene()
    const arrivals = {
      last: () => log.arrivals.last(),
      onArrival(...listening: Parameters<typeof log.arrivals.onArrival>) {
        const stop = log.arrivals.onArrival(...listening)
        listeners++
        return {
          [Symbol.dispose]() {
            listeners--
            stop[Symbol.dispose]()
          },
        }
      },
    }
    const findDomains = async () => {
      lookUps++
      return [own]
    }
    const followers = new Followers(arrivals, findDomains, { ...RESTLESS, heartbeatMs: 3_600_000 })
    const join = () => followers.join({ asked: { tenantId: 'acme', names: undefined }, isAllowed: async () => true })
    const [one, other] = [join(), join()]
    assert.equal(listeners, 1)
    followers.leave(one)
    followers.leave(one)
    assert.equal(listeners, 1)
    followers.leave(other)
    assert.equal(listeners, 0)
    const pause = () => new Promise((resolve) => setTimeout(resolve, 20))
    await pause()
    const before = lookUps
    await pause()
    assert.equal(lookUps, before)
    const next = join()
    assert.equal(listeners, 1)
    while (lookUps === before) await pause()
    followers.leave(next)
  })
})

describe('rounds', () => {
  /** Time and rounds at the test's command, beginning late enough that a sum of two times is no difference. */
  function openRounds(context: TestContext, last?: () => Promise<string>) {
    context.mock.timers.enable({ apis: ['setInterval'] })
    const time = { nowMs: 1_000_000 }
    context.mock.method(performance, 'now', () => time.nowMs)
    const log = openModel()
    const [own] = freshDomains()
    const arrivals = {
      last: last ?? (() => log.arrivals.last()),
      onArrival: (...listening: Parameters<typeof log.arrivals.onArrival>) => log.arrivals.onArrival(...listening),
    }
    const followers = new Followers(arrivals, async () => [own])
    const follower = followers.join({ asked: { tenantId: 'acme', names: undefined }, isAllowed: async () => true })
    const round = async (passedMs: number) => {
      time.nowMs += passedMs
      context.mock.timers.tick(1000)
      for (let turns = 0; turns < 5; turns++) await new Promise((resolve) => setImmediate(resolve))
    }
    let count = 0
    const append = () => log.append([burst(count++, own)])
    return { log, own, followers, follower, round, append }
  }

  test('bring a heartbeat after 15 seconds in which nothing was sent, and none before', async (context) => {
    const { own, followers, follower, round } = openRounds(context)
    await follower.read(async (domains) => {
      assert.deepEqual(domains, [own])
      return { events: [], position: '0', hasMore: false }
    })
    const steps: Step[] = []
    void follower.next().then((step) => steps.push(step))
    await round(14_999)
    assert.deepEqual(steps, [])
    await round(2)
    assert.deepEqual(steps, ['heartbeat'])
    followers.leave(follower)
  })

  test('settle a position when two more commits were announced and 15 seconds have passed', async (context) => {
    const { log, followers, follower, round, append } = openRounds(context)
    const position = await log.arrivals.last()
    const settled = () => followers.settled?.position
    await round(1000)
    await append()
    await round(20_000)
    assert.equal(settled(), undefined, 'the commit may have been under way')
    await append()
    await round(1000)
    assert.equal(settled(), position)
    for (let count = 0; count < 3; count++) await append()
    await round(14_999)
    assert.equal(settled(), position, 'not for long enough')
    await round(1)
    assert.notEqual(settled(), position)
    followers.leave(follower)
  })

  test('do not overlap', async (context) => {
    let asked = 0
    const { followers, follower, round } = openRounds(context, () => {
      asked++
      return new Promise(() => undefined)
    })
    for (let count = 0; count < 3; count++) await round(1000)
    assert.equal(asked, 1)
    followers.leave(follower)
  })
})
