/** Which servers are asked for the rows of a shard; the answers are those that servers would give. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Address, ServerRequest } from './address.ts'
import { ShardAddresses } from './shard-addresses.ts'

/** An address whose server gives this answer. */
function answering(answer: string | Error): Address & { readonly asked: string[] } {
  const asked: string[] = []
  const address = {
    asked,
    isAvoided: false,
    failures: 0,
    avoid: () => void Object.assign(address, { isAvoided: true, failures: address.failures + 1 }),
    request: async ({ sql }: ServerRequest) => {
      asked.push(sql)
      if (answer instanceof Error) throw answer
      return answer
    },
  }
  return address as unknown as ReturnType<typeof answering>
}

async function findServers(answers: readonly (string | Error)[], shard: number) {
  const addresses: readonly Address[] = answers.map(answering)
  const found = await new ShardAddresses(addresses, 'envelog').findServers(shard)
  return found && [found.name, found.addresses.map((address) => addresses.indexOf(address))]
}

test('the servers of a shard are those that are in its place of the configuration', async () => {
  const answers = ['1\t01\n', '2\t02\n', '1\t01\n', new Error('does not answer')]
  assert.deepEqual(await findServers(answers, 0), ['01', [0, 2]])
  assert.deepEqual(await findServers(answers, 1), ['02', [1]])
  assert.equal(await findServers(answers, 2), undefined)
})

test('none is certain if the names of shards are not in the order of the configuration', async () => {
  assert.equal(await findServers(['1\t02\n', '2\t01\n'], 0), undefined)
  assert.equal(await findServers(['1\t01\n', '2\t01\n'], 0), undefined)
  assert.equal(await findServers(['1\t01\n', '1\t02\n'], 0), undefined)
  assert.equal(await findServers(['1\t01\n', '2\t03\n', '3\t02\n'], 0), undefined)
  assert.deepEqual(await findServers(['2\tshard2\n', '10\tshard10\n'], 9), ['shard10', [1]])
})

test('a server of several shards or none, or one that does not tell its name, is asked for none', async () => {
  const forbidden = new Error('Code: 497. DB::Exception: Not enough privileges')
  assert.equal(await findServers(['1\t01\n2\t01\n', '', forbidden], 0), undefined)
})

test('a server of several shards or none does not keep the others from being asked', async () => {
  assert.equal(await findServers(['1\t01\n2\t01\n'], 0), undefined)
  assert.deepEqual(await findServers(['1\t01\n2\t02\n', '1\t01\n'], 0), ['01', [1]])
  assert.deepEqual(await findServers(['', '1\t01\n'], 0), ['01', [1]])
})

test('each server is asked until it has answered, or refuses to; one that does not answer is avoided', async () => {
  const known = answering('1\t01\n')
  const forbidden = answering(new Error('Code: 497. DB::Exception: Not enough privileges'))
  const silent = answering(new Error('does not answer'))
  const shards = new ShardAddresses([known, forbidden, silent], 'envelog')
  for (let times = 0; times < 3; times++) assert.deepEqual(await shards.listOf(0), [known])
  assert.deepEqual(
    [known, forbidden, silent].map(({ asked, isAvoided }) => [asked.length, isAvoided]),
    [
      [1, false],
      [1, false],
      [1, true],
    ],
  )
  assert.match(known.asked[0] ?? '', /macro = 'shard'.* cluster = 'envelog' AND is_local/)
  Object.assign(silent, { isAvoided: false })
  await shards.listOf(0)
  assert.equal(silent.asked.length, 2)
})

test('a server that failed is asked again before anything is inserted there: another one may have its address now', async () => {
  const answers = ['1\t01\n', '2\t02\n']
  const moved = answering('')
  Object.assign(moved, { request: async () => answers.shift() })
  const shards = new ShardAddresses([moved], 'envelog')
  assert.deepEqual(await shards.listOf(0), [moved])
  moved.avoid()
  assert.deepEqual((await shards.findServers(0))?.addresses, [moved], 'reads, which it would refuse, still know it')
  assert.deepEqual([await shards.listOf(0), await shards.listOf(1)], [[], [moved]])
})

test('as long as another server of the shard is certain, nobody waits for one that failed', async () => {
  const [failed, certain] = [answering('1\t01\n'), answering('1\t01\n')]
  const shards = new ShardAddresses([failed, certain], 'envelog')
  assert.deepEqual(await shards.listOf(0), [failed, certain])
  const silence = Promise.withResolvers<string>()
  let asked = 0
  const request = () => {
    asked += 1
    return silence.promise
  }
  Object.assign(failed, { failures: 1, request })
  for (let times = 0; times < 3; times++) {
    assert.deepEqual(await shards.listOf(0), [certain])
    assert.deepEqual((await shards.findServers(0))?.addresses, [failed, certain])
  }
  assert.equal(asked, 1)
  silence.resolve('1\t01\n')
  await new Promise(setImmediate)
  assert.deepEqual(await shards.listOf(0), [failed, certain])
})
