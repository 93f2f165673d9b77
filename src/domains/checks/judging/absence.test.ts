import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { DnsAnswer, DnsEvidence, DnsResolverStatement, DnsServerStatement } from '../../dns-resolver.ts'
import type { RequiredDnsRecord } from '../../domain.ts'
import { isAbsent, isForeign, judgeAbsence } from './absence.ts'
import { rightRecord, wrongRecord } from './verdict.ts'

const NAME = 's1._domainkey.example.com'
const RECORD: RequiredDnsRecord = {
  type: 'TXT',
  name: NAME,
  value: 'v=DKIM1; p=a2V5',
  purpose: 'DKIM',
  required: true,
  status: 'pending',
  actual: [],
}

type Absent = Exclude<DnsAnswer<'TXT'>, { readonly kind: 'records' }>

function unreachable(reason: string): Extract<Absent, { readonly kind: 'unreachable' }> {
  return { kind: 'unreachable', failure: 'silent', reason, aliases: [] }
}

interface Scene {
  readonly zone?: string
  readonly servers?: readonly DnsServerStatement<'TXT'>[]
  readonly resolvers?: readonly DnsResolverStatement<'TXT'>[]
  readonly source?: DnsEvidence['source']
}

function judge(answer: Absent, { zone, servers = [], resolvers = [], source = 'authoritative' }: Scene = {}) {
  const steps = [{ name: NAME, ...(zone !== undefined && { zone }), servers, agreeing: 1, answered: 1 }]
  const evidence: DnsEvidence<'TXT'> = { name: NAME, type: 'TXT', answer, source, steps, isUnanimous: true, resolvers }
  const verdict = judgeAbsence(RECORD, answer, evidence)
  return { ...verdict, diagnosis: verdict.problem?.diagnosis, text: verdict.problem?.text ?? '' }
}

describe('nothing is published', () => {
  test('at the name, or of the type', () => {
    const name = judge({ kind: 'no_such_name', aliases: [] }, { zone: 'example.com' })
    assert.equal(name.diagnosis, 'no_such_name')
    assert.match(
      name.text,
      /^s1\._domainkey\.example\.com does not exist in DNS\. Create a TXT record.*as "s1\._domainkey"\.$/,
    )
    const type = judge({ kind: 'no_such_type', aliases: [] }, { zone: 'example.com' })
    assert.equal(type.diagnosis, 'no_such_type')
    assert.match(type.text, /exists but has no TXT record\. Add one/)
    assert.equal(type.status, 'invalid')
  })

  test('and resolvers may remember that for a while; a time of zero is not worth a sentence', () => {
    const after = (negativeTtlSeconds: number, source: DnsEvidence['source'], addresses: readonly string[] = []) => {
      const answer: Absent = { kind: 'no_such_name', aliases: [], negativeTtlSeconds }
      const resolvers = addresses.map((address) => ({ address, answer, isStale: false }))
      return judge(answer, { source, resolvers }).text
    }
    assert.match(after(900, 'authoritative'), /missing for up to 900 seconds \(15 minutes\)\.$/)
    assert.doesNotMatch(after(0, 'authoritative'), /Resolvers/)
    assert.match(
      after(60, 'resolver', ['192.0.2.1']),
      /comes from our resolver 192\.0\.2\.1, because.*expires in 60 seconds\.$/,
    )
    assert.match(after(60, 'resolver', ['192.0.2.1', '192.0.2.2']), /comes from our resolvers, because/)
  })

  test('because the domain itself does not exist', () => {
    const missing = (zone: string) => judge({ kind: 'no_such_name', aliases: [] }, { zone })
    assert.equal(missing('com').diagnosis, 'no_such_domain')
    assert.match(missing('com').text, /^The domain example\.com does not exist: the name servers of com do not know it/)
    assert.equal(missing('example.com').diagnosis, 'no_such_name')
    assert.equal(judge({ kind: 'no_such_type', aliases: [] }, { zone: 'com' }).diagnosis, 'no_such_type')
    assert.equal(judge({ kind: 'no_such_name', aliases: [] }).diagnosis, 'no_such_name')
  })

  test('at the end of a CNAME: the last target is named', () => {
    const aliases = ['a.test', 'b.test'].map((target) => ({ name: NAME, target, ttlSeconds: 60 }))
    const name = judge({ kind: 'no_such_name', aliases }, { zone: 'com' })
    assert.equal(name.diagnosis, 'dangling_alias')
    assert.match(name.text, /CNAME that points to b\.test, which does not exist/)
    assert.match(judge({ kind: 'no_such_type', aliases }).text, /points to b\.test, which has no TXT record/)
    const loop = judge({ kind: 'alias_loop', reason: 'a -> a', aliases })
    assert.deepEqual([loop.diagnosis, loop.status], ['alias_loop', 'invalid'])
    assert.match(loop.text, /does not lead to a record: a -> a\. Delete it and create a TXT record/)
  })
})

describe('a query that failed', () => {
  test('says nothing about the record, and names what every server said, once each', () => {
    const servers = ['ns1 is silent', 'ns2 refused', 'ns1 is silent'].map((reason, index) => ({
      server: `ns${index}`,
      statement: unreachable(reason),
    }))
    const answering = { server: 'ns9', statement: { kind: 'no_such_name', aliases: [] } as const }
    const resolvers = [{ address: '192.0.2.1', answer: unreachable('the resolver failed'), isStale: false }]
    const { status, diagnosis, text } = judge(unreachable('all'), { servers: [...servers, answering], resolvers })
    assert.deepEqual([status, diagnosis], ['unknown', 'no_answer'])
    assert.match(text, /failed: ns1 is silent; ns2 refused; the resolver failed\. Try again/)
    assert.match(judge(unreachable('all')).text, /failed: all\. Try again/)
  })

  test('of many servers lists six reasons, and how many there are besides', () => {
    const listed = (count: number) =>
      judge(unreachable('all'), {
        servers: Array.from({ length: count }, (_, index) => ({ server: 'ns', statement: unreachable(`r${index}`) })),
      }).text
    assert.match(listed(6), /r0; r1; r2; r3; r4; r5\. Try/)
    assert.match(listed(8), /r5; and 2 more\. Try/)
  })

  test('for lack of a budget is a limit of the check, which waiting does not change', () => {
    const { status, diagnosis, text } = judge({ ...unreachable('too many'), failure: 'query_limit' })
    assert.deepEqual([status, diagnosis], ['unknown', 'check_limit'])
    assert.doesNotMatch(text, /Try again/)
  })
})

test('absent and foreign records are told apart', () => {
  const of = (diagnosis: Parameters<typeof wrongRecord>[1]) => wrongRecord([], diagnosis, '')
  const shown = (verdict: Parameters<typeof isAbsent>[0]) => [isAbsent(verdict), isForeign(verdict)]
  assert.deepEqual(shown(of('no_such_name')), [true, false])
  assert.deepEqual(shown(of('no_such_type')), [true, false])
  assert.deepEqual(shown(of('wrong_value')), [false, true])
  assert.deepEqual(shown(of('dangling_alias')), [false, true])
  assert.deepEqual(shown(of('alias_loop')), [false, false])
  assert.deepEqual(shown(rightRecord([])), [false, false])
})

test('the reason of a single server is given, and of seven the last is counted', () => {
  const servers = (count: number) =>
    Array.from({ length: count }, (_, index) => ({
      server: `ns${index}`,
      statement: unreachable(`reason ${index}`),
    }))
  const one = judge(unreachable('in general'), { servers: servers(1) })
  assert.match(one.text, /failed: reason 0\./)
  const seven = judge(unreachable('in general'), { servers: servers(7) })
  assert.match(seven.text, /failed: reason 0; .*reason 5; and 1 more\./)
})
