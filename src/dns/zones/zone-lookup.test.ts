/** How zones and their servers are found, by what resolvers are asked. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { DnsRecordType } from '../../domains/dns-resolver.ts'
import { type Message, RCODE, type Resource } from '../wire/message.ts'
import { type Breadth, Zones } from './zones.ts'

const ZONE = 'example.test'
const { signal } = new AbortController()
const soa = { primary: 'ns', mailbox: 'me', serial: 1, minimumSeconds: 60 }

function record(name: string, type: 'A' | 'NS' | 'SOA', value: string): Resource {
  if (type === 'SOA') return { name, type, ttlSeconds: 60, data: soa }
  if (type === 'NS') return { name, type, ttlSeconds: 60, data: { target: value } }
  return { name, type, ttlSeconds: 60, data: { address: value } }
}

const soaOf = (name: string) => record(name, 'SOA', '')

interface Known {
  /** The authorities of every answer without records. */
  readonly authorities?: readonly Resource[]
  readonly answers?: readonly Resource[]
}

function open({ authorities = [soaOf(ZONE)], answers = [] }: Known, breadth: Breadth = 'all') {
  const asked: string[] = []
  const ask = async (name: string, type: DnsRecordType) => {
    asked.push(`${type} ${name}`)
    const found = answers.filter((resource) => resource.name === name && resource.type === type)
    const message: Message = {
      id: 1,
      isResponse: true,
      isAuthoritative: false,
      isTruncated: false,
      rcode: RCODE.NOERROR,
      answers: found,
      authorities: found.length > 0 ? [] : authorities,
      additionals: [],
      extendedErrors: [],
    }
    return { kind: 'message', message } as const
  }
  return { zones: new Zones({ each: [], ask }, new Map(), breadth), asked }
}

/** A zone with servers that have these addresses. */
function zoneWith(servers: number, addresses: readonly string[], apex = ZONE): Known {
  const names = Array.from({ length: servers }, (_, index) => `ns${index}.host.test`)
  return {
    authorities: [soaOf(apex)],
    answers: [
      ...names.map((name) => record(apex, 'NS', name)),
      ...names.flatMap((name) => addresses.map((address) => record(name, 'A', address))),
    ],
  }
}

describe('the servers of a zone', () => {
  test('are all of up to 13 to compare them, otherwise three, and three of a top-level domain', async () => {
    const count = async (breadth: Breadth, apex: string, name: string) => {
      const { zones } = open(zoneWith(20, ['9.9.9.9'], apex), breadth)
      const zone = await zones.find(name, signal)
      return [zone?.apex, zone?.servers.length]
    }
    assert.deepEqual(await count('all', ZONE, `a.${ZONE}`), [ZONE, 13])
    assert.deepEqual(await count('any', ZONE, `a.${ZONE}`), [ZONE, 3])
    assert.deepEqual(await count('all', 'test', 'a.test'), ['test', 3])
  })

  test('are queried at up to four public addresses', async () => {
    const addresses = ['10.0.0.1', ...[1, 2, 3, 4, 5, 6].map((index) => `9.9.9.${index}`)]
    const zone = await open(zoneWith(1, addresses)).zones.find(ZONE, signal)
    assert.deepEqual(zone?.servers, [
      { name: 'ns0.host.test', endpoints: [1, 2, 3, 4].map((index) => ({ address: `9.9.9.${index}`, port: 53 })) },
    ])
  })

  test('that have no usable address say why', async () => {
    const problemOf = async (known: Known) => (await open(known).zones.find(ZONE, signal))?.servers[0]?.problem
    assert.match((await problemOf(zoneWith(1, []))) ?? '', /no address was found/)
    assert.match((await problemOf(zoneWith(1, ['10.0.0.1']))) ?? '', /its address 10\.0\.0\.1 is not public/)
    const unnamed = { answers: [record(ZONE, 'NS', 'localhost')] }
    const { zones, asked } = open(unnamed)
    assert.match((await zones.find(ZONE, signal))?.servers[0]?.problem ?? '', /its name refers to the local machine/)
    assert.deepEqual(asked, [`SOA ${ZONE}`, `NS ${ZONE}`])
  })

  test('of a referral are found by its addresses, whatever their names are, up to the same number', async () => {
    const { zones, asked } = open({}, 'any')
    const servers = ['localhost', 'ns1.sub.test', 'ns2.sub.test', 'ns3.sub.test']
    const glue = new Map(servers.map((name) => [name, ['9.9.9.9']]))
    const zone = await zones.follow({ kind: 'referral', zone: 'sub.test', servers, glue }, signal)
    assert.deepEqual(
      zone.servers.map(({ name, endpoints }) => [name, endpoints.length]),
      servers.slice(0, 3).map((name) => [name, 1]),
    )
    assert.deepEqual(asked, [])
  })
})

describe('the zone of a name', () => {
  test('is looked for in at most eight steps up', async () => {
    const deep = Array.from({ length: 20 }, (_, index) => `n${index}`).join('.')
    const { zones, asked } = open({ authorities: [] })
    assert.equal(await zones.find(deep, signal), undefined)
    assert.equal(asked.length, 8)
    assert.equal(asked.at(-1), `SOA ${deep.split('.').slice(7).join('.')}`)
  })

  test('is that of a SOA record at or above the name, and of no other record', async () => {
    const { zones } = open({ authorities: [soaOf('elsewhere.test'), record('test', 'NS', 'ns'), soaOf(ZONE)] })
    assert.equal((await zones.find(`a.${ZONE}`, signal))?.apex, ZONE)
    assert.equal(await open({ authorities: [soaOf('elsewhere.test')] }).zones.find(`a.${ZONE}`, signal), undefined)
  })

  test('is looked up once, unless the lookup was aborted', async () => {
    const { zones, asked } = open(zoneWith(1, ['9.9.9.9']))
    const [one, other] = await Promise.all([zones.find(ZONE, signal), zones.find(ZONE, signal)])
    assert.equal(one, other)
    assert.equal(await zones.find(ZONE, signal), one)
    assert.equal(asked.filter((question) => question.startsWith('SOA')).length, 1)
    const again = open(zoneWith(1, ['9.9.9.9']))
    await again.zones.find(ZONE, AbortSignal.abort())
    await again.zones.find(ZONE, signal)
    assert.equal(again.asked.filter((question) => question.startsWith('SOA')).length, 2)
  })
})
