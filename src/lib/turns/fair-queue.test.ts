import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import { FairQueue } from './fair-queue.ts'

const OWNERS = ['a', 'b', 'c', 'd']

interface Work {
  readonly owner: string
  readonly number: number
}

function addAll(queue: FairQueue<Work, number>, owners: readonly string[]): void {
  for (const [number, owner] of owners.entries()) queue.add(owner, { owner, number })
}

describe('a fair queue', () => {
  test('gives every owner one turn before any gets another, and keeps the order of each', () => {
    const property = fc.property(fc.array(fc.constantFrom(...OWNERS), { maxLength: 40 }), (owners) => {
      const queue = new FairQueue<Work, number>({ perWorker: 1, perOwner: 1 })
      addAll(queue, owners)
      const left = Map.groupBy(owners, (owner) => owner)
      const counts = new Map([...left].map(([owner, works]) => [owner, works.length]))
      let round = new Set<string>()
      let last = -1
      const lastOf = new Map<string, number>()
      for (let work = queue.take(0); work; work = queue.take(0)) {
        const { owner, number } = work
        if (round.has(owner)) {
          const skipped = [...counts].filter(([other, count]) => count > 0 && !round.has(other))
          assert.deepEqual(skipped, [], `${owner} had a second turn before others had one`)
          round = new Set()
        }
        round.add(owner)
        assert.ok(number > (lastOf.get(owner) ?? -1), 'first come, first served')
        lastOf.set(owner, number)
        counts.set(owner, (counts.get(owner) ?? 0) - 1)
        last++
        queue.end(0, owner)
      }
      assert.equal(last + 1, owners.length, 'everything had its turn')
    })
    fc.assert(property)
  })

  test('never gives a worker more than its limit, or than that of one owner, and leaves no worker idle that could work', () => {
    const step = fc.oneof(
      fc.record({ add: fc.constantFrom(...OWNERS) }),
      fc.record({ take: fc.nat({ max: 2 }) }),
      fc.record({ end: fc.nat({ max: 20 }) }),
    )
    const limits = fc.record({ perWorker: fc.integer({ min: 1, max: 4 }), perOwner: fc.integer({ min: 1, max: 3 }) })
    const property = fc.property(fc.array(step, { maxLength: 100 }), limits, (steps, { perWorker, perOwner }) => {
      const queue = new FairQueue<Work, number>({ perWorker, perOwner })
      const running: { readonly worker: number; readonly owner: string }[] = []
      const waiting = new Map<string, number>()
      const ownersOn = (worker: number) => running.filter((work) => work.worker === worker).map(({ owner }) => owner)
      for (const [number, step] of steps.entries()) {
        if ('add' in step) {
          queue.add(step.add, { owner: step.add, number })
          waiting.set(step.add, (waiting.get(step.add) ?? 0) + 1)
        } else if ('take' in step) {
          const own = ownersOn(step.take)
          const mayHave = (owner: string) => own.filter((other) => other === owner).length < perOwner
          const work = queue.take(step.take)
          const isPossible =
            own.length < perWorker && [...waiting].some(([owner, count]) => count > 0 && mayHave(owner))
          assert.equal(work !== undefined, isPossible)
          if (!work) continue
          assert.ok(mayHave(work.owner))
          running.push({ worker: step.take, owner: work.owner })
          waiting.set(work.owner, (waiting.get(work.owner) ?? 0) - 1)
          assert.equal(queue.countRunning(step.take), own.length + 1)
        } else {
          const [ended] = running.splice(step.end % Math.max(1, running.length), 1)
          if (ended) queue.end(ended.worker, ended.owner)
        }
      }
    })
    fc.assert(property)
  })

  test('work that is withdrawn never runs', () => {
    const queue = new FairQueue<Work, number>({ perWorker: 1, perOwner: 1 })
    const works = ['a', 'a', 'b'].map((owner, number) => ({ owner, number }))
    for (const work of works) queue.add(work.owner, work)
    const [first, second, third] = works
    assert.ok(first && second && third)
    assert.equal(queue.remove('a', second), true)
    assert.equal(queue.remove('a', second), false)
    assert.equal(queue.remove('c', second), false)
    assert.equal(queue.remove('b', third), true)
    assert.equal(queue.take(0), first)
    queue.end(0, 'a')
    assert.equal(queue.take(0), undefined)
  })
})
