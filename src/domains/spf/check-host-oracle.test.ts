/** Another implementation of RFC 7208 as the judge: ten thousand random zones, on which both must say the same. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { spf } from 'mailauth/lib/spf/index.js'
import { checkHost, identityOf } from './check-host.ts'
import { readIpAddress } from './ip-address.ts'
import { CLIENTS, randomZone } from './random-zone.fixture.ts'
import { isVoid, type SpfDns, type SpfRecordType } from './spf-dns.ts'
import { openZone } from './zone.fixture.ts'

const HELO = 'mail.example.test'
const RECEIVER = 'mx.here.test'
const SENDERS = ['user@example.test', 'jane.doe-list+x@example.test', '"a b@c"@one.test', '', 'user@Three.example.test']

/** Results and problems that ten thousand zones must have led to. */
const EXPECTED =
  'none neutral pass fail softfail temperror permerror explanation ' +
  'syntax several_records no_policy too_many_lookups too_many_void_lookups too_many_exchanges'

/** The judge's way to ask: records in the shapes of node:dns, and errors with its codes. */
function resolverOf(dns: SpfDns) {
  return async (name: string, type: string) => {
    const answer = await dns(name, type as SpfRecordType)
    if (answer.kind === 'records') return answer.values.map((value) => recordOf(type, value)) as string[]
    throw Object.assign(new Error(answer.kind), { code: isVoid(answer) ? 'ENOTFOUND' : 'ETIMEOUT' })
  }
}

function recordOf(type: string, value: string) {
  if (type === 'TXT') return [value]
  if (type !== 'MX') return value
  const [priority, exchange = ''] = value.split(' ')
  return { priority: Number(priority), exchange }
}

test('another implementation comes to the same result on ten thousand random zones', async () => {
  const seen = new Map<string, number>()
  const count = (what: string) => seen.set(what, (seen.get(what) ?? 0) + 1)
  await fc.assert(
    fc.asyncProperty(
      randomZone,
      fc.constantFrom(...CLIENTS),
      fc.constantFrom(...SENDERS),
      async (zone, client, mailFrom) => {
        const { dns } = openZone(zone)
        const ip = readIpAddress(client)
        assert.ok(ip)
        const identity = identityOf(mailFrom, HELO)
        const ours = await checkHost({ ip, ...identity, helo: HELO, receiver: RECEIVER, timeMs: 0 }, dns)
        const asked = {
          resolver: resolverOf(dns),
          ip: client,
          helo: HELO,
          sender: mailFrom,
          mta: RECEIVER,
          strict: true,
        }
        const theirs = await spf(asked)
        const comment = `${ours.problem?.kind} - ${theirs.status.comment}`
        assert.equal(ours.result, theirs.status.result, comment)
        // Section 7.3 does not say in which letter case the digits of an IPv6 address are written.
        assert.equal(ours.explanation?.toLowerCase(), theirs.explanation?.toLowerCase(), comment)
        count(ours.result)
        if (ours.problem) count(ours.problem.kind)
        if (ours.explanation) count('explanation')
      },
    ),
    { numRuns: 10_000 },
  )
  // The generator must not drift into zones on which everything is an error.
  for (const what of EXPECTED.split(' ')) assert.ok((seen.get(what) ?? 0) > 10, `${what} is too rare to prove anything`)
})
