/** The cost of a policy, whatever its owner publishes. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openZone, type Zone } from '../fixtures/zone.fixture.ts'
import { readSpfTree } from '../tree/read-spf-tree.ts'
import { describeRequired } from './describe-required.ts'
import { findRequired } from './find-required.ts'
import { listPaths } from './required-walk.ts'

const REQUIRED = { include: 'spf.operator.test' }

/** A policy of `includes` other policies with as many networks each. */
function policyOf(includes: number, networks: number): Zone {
  const names = Array.from({ length: includes }, (_, index) => `z${index}.test`)
  const list = Array.from({ length: networks }, (_, index) => `ip4:10.0.${index >> 8}.${index & 255}`).join(' ')
  const included = names.map((name) => [name, { TXT: [`v=spf1 ${list} -all`] }])
  const root = `v=spf1 ${names.map((name) => `include:${name}`).join(' ')} -all`
  return { 'example.test': { TXT: [root] }, ...Object.fromEntries(included) }
}

async function judge(zone: Zone) {
  const { dns } = openZone(zone)
  const tree = await readSpfTree('example.test', dns)
  return { tree, outcome: findRequired(tree, REQUIRED) }
}

/** The best of several runs: other work on the machine only adds to it. */
async function measure(zone: Zone): Promise<number> {
  const times: number[] = []
  for (let run = 0; run < 5; run++) {
    const before = process.threadCpuUsage()
    await judge(zone)
    times.push(process.threadCpuUsage(before).user)
  }
  return Math.min(...times)
}

test('a policy of 98 large includes costs no more than the largest that is read', async () => {
  const usual = await measure(policyOf(9, 200))
  const hostile = await measure(policyOf(98, 4000))
  assert.ok(hostile < 2 * usual, `${hostile} µs, ${usual} µs for 9 includes with 200 networks each`)
})

test('the tree of a policy ends at 2000 terms, and what lies beyond is unknown rather than missing', async () => {
  const { tree, outcome } = await judge(policyOf(98, 300))
  assert.ok([...listPaths(tree.root)].length <= 2000)
  assert.equal(tree.isComplete, false)
  assert.ok(!outcome.isEffective && outcome.reason === 'unknown' && outcome.isLimited)
  assert.match(describeRequired(tree, REQUIRED, outcome), /Remove terms that are no longer needed\.$/)
})
