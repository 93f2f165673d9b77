/** check_host(): redirect, exp and macros (RFC 7208 sections 6 and 7). */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { SpfResult } from './spf-verdict.ts'
import { ALIAS_LOOP, type Circumstances, judge, TIMEOUT, type Zone, type ZoneRecords } from './zone.fixture.ts'

const IP6 = '2001:db8::cb01'

describe('redirect (section 6.1)', () => {
  const zone: Zone = {
    'other.test': { TXT: 'v=spf1 a -all', A: '192.0.2.1' },
    'neutral.test': { TXT: 'v=spf1' },
    'chain.test': { TXT: 'v=spf1 redirect=other.test' },
    'broken.test': { TXT: 'v=spf1 moo' },
    'twice.test': { TXT: ['v=spf1 +all', 'v=spf1 +all'] },
    'slow.test': { TXT: TIMEOUT },
    'policyless.test': { TXT: 'verify=1' },
    'sub.example.test': { TXT: 'v=spf1 ~all' },
  }
  const rows: readonly (readonly [terms: string, result: SpfResult, circumstances?: Circumstances])[] = [
    ['redirect=other.test', 'pass'],
    ['redirect=other.test', 'fail', { ip: '192.0.2.2' }],
    ['redirect=other.test ip4:192.0.2.2', 'pass', { ip: '192.0.2.2' }],
    ['-ip4:192.0.2.1 redirect=other.test', 'fail'],
    ['REDIRECT=OTHER.test.', 'pass'],
    ['redirect=chain.test', 'pass'],
    ['redirect=neutral.test', 'neutral'],
    ['redirect=sub.%{d}', 'softfail'],
    ['redirect=gone.test', 'permerror'],
    ['redirect=policyless.test', 'permerror'],
    ['redirect=broken.test', 'permerror'],
    ['redirect=twice.test', 'permerror'],
    ['redirect=slow.test', 'temperror'],
    ['redirect=%{h}', 'permerror', { helo: 'localhost' }],
    ['redirect=bad..name.test', 'permerror'],
    ['redirect=other.test redirect=other.test', 'permerror'],
    ['ip4:192.0.2.1 redirect=gone.test', 'pass'],
  ]
  for (const [terms, result, circumstances] of rows) {
    test(`"${terms}" for ${JSON.stringify(circumstances ?? {})}: ${result}`, async () => {
      const own: Zone = { ...zone, 'example.test': { TXT: `v=spf1 ${terms}`, A: '203.0.113.1' } }
      assert.equal((await judge(own, circumstances)).result, result)
    })
  }
})

describe('exp (section 6.2)', () => {
  const rows: readonly (readonly [what: string, terms: string, text: ZoneRecords, explanation: string | undefined])[] =
    [
      ['one record', '-all exp=why.test', 'Not from there.', 'Not from there.'],
      ['before the mechanisms', 'exp=why.test -all', 'Not from there.', 'Not from there.'],
      ['strings are joined', '-all exp=why.test', [['Not ', 'from there.']], 'Not from there.'],
      ['a dot at the end stays', '-all exp=why.test.', 'A dot.', 'A dot.'],
      ['macros are expanded', '-all exp=why.test', '%{i} is not %{d}%%', '192.0.2.1 is not example.test%'],
      ['the macros of explanations', '-all exp=why.test', '%{c} %{r} %{t}', '192.0.2.1 mx.here.test 1700000000'],
      [
        'URLs are escaped',
        '-all exp=why.test',
        'http://why.test/?s=%{S}&r=%{R}',
        'http://why.test/?s=user%40example.test&r=mx.here.test',
      ],
      ['a name with macros', '-all exp=%{l}.%{d}', 'unused', 'Hello user'],
      ['several records', '-all exp=why.test', ['one', 'two'], undefined],
      ['no record', '-all exp=gone.test', 'unused', undefined],
      ['another type of record', '-all exp=host.test', 'unused', undefined],
      ['DNS does not answer', '-all exp=why.test', TIMEOUT, undefined],
      ['aliases in a circle', '-all exp=why.test', ALIAS_LOOP, undefined],
      ['a syntax error in the text', '-all exp=why.test', 'The %{x}-files', undefined],
      ['a lone percent sign', '-all exp=why.test', '100% sure', undefined],
      ['letters beyond ASCII', '-all exp=why.test', 'Dom\u00e4ne', undefined],
      ['a line end in the text', '-all exp=why.test', 'a\r\nb', undefined],
      ['an empty text', '-all exp=why.test', '', undefined],
      ['a name that cannot exist', '-all exp=bad..why.test', 'unused', undefined],
      ['no exp', '-all', 'unused', undefined],
      ['a term that fails', '-ip4:192.0.2.0/24 +all exp=why.test', 'Blocked.', 'Blocked.'],
    ]
  for (const [what, terms, text, explanation] of rows) {
    test(`${what}: ${explanation ?? 'no explanation'}`, async () => {
      const verdict = await judge({
        'example.test': { TXT: `v=spf1 ${terms}` },
        'why.test': { TXT: text },
        'host.test': { A: '192.0.2.1' },
        'user.example.test': { TXT: 'Hello %{l}' },
      })
      assert.equal(verdict.result, 'fail')
      assert.equal(verdict.explanation, explanation)
    })
  }

  test('only a fail is explained, and only then the explanation is asked for', async () => {
    for (const ending of ['~all', '?all', '+all', '']) {
      const verdict = await judge({
        'example.test': { TXT: `v=spf1 exp=why.test ${ending}` },
        'why.test': { TXT: 'unused' },
      })
      assert.equal(verdict.explanation, undefined)
      assert.ok(!verdict.asked.includes('TXT why.test'))
    }
  })

  test('after a redirect the explanation of the target counts and that of the domain does not', async () => {
    const zone: Zone = {
      'example.test': { TXT: 'v=spf1 exp=own.test redirect=silent.test' },
      'two.test': { TXT: 'v=spf1 exp=own.test redirect=speaking.test' },
      'silent.test': { TXT: 'v=spf1 -all' },
      'speaking.test': { TXT: 'v=spf1 -all exp=theirs.test' },
      'own.test': { TXT: 'own' },
      'theirs.test': { TXT: 'of %{d}, not %{o}' },
    }
    assert.equal((await judge(zone)).explanation, undefined)
    assert.equal((await judge(zone, { mailFrom: 'user@two.test' })).explanation, 'of speaking.test, not two.test')
  })

  test('the explanation of an included policy never counts', async () => {
    const zone: Zone = {
      'example.test': { TXT: 'v=spf1 include:other.test -include:allowed.test -all exp=own.test' },
      'other.test': { TXT: 'v=spf1 -all exp=theirs.test' },
      'allowed.test': { TXT: 'v=spf1 ip4:192.0.2.1 exp=theirs.test' },
      'own.test': { TXT: 'own of %{d}' },
      'theirs.test': { TXT: 'theirs' },
    }
    assert.equal((await judge(zone)).explanation, 'own of example.test')
    assert.equal((await judge(zone, { ip: '192.0.2.2' })).explanation, 'own of example.test')
  })

  test('the explanation counts to no limit, not even with %{p}', async () => {
    const terms = `${'a:host.test '.repeat(8)}a:gone.test a:lost.test`
    const verdict = await judge({
      'example.test': { TXT: `v=spf1 ${terms} -all exp=%{p}.why.test` },
      'host.test': { A: '203.0.113.1' },
      'unknown.why.test': { TXT: 'from %{p}' },
    })
    assert.deepEqual([verdict.result, verdict.explanation], ['fail', 'from unknown'])
    assert.deepEqual([verdict.lookups, verdict.voidLookups], [10, 2])
  })
})

describe('macros in names (section 7)', () => {
  const rows: readonly (readonly [spec: string, name: string, circumstances?: Circumstances])[] = [
    ['%{d}', 'example.test'],
    ['%{o}', 'example.test'],
    ['%{d1}.x.test', 'test.x.test'],
    ['%{dr}.x.test', 'test.example.x.test'],
    ['%{l}.x.test', 'user.x.test'],
    ['%{l}.x.test', 'postmaster.x.test', { mailFrom: '@example.test' }],
    ['%{l}.x.test', 'postmaster.x.test', { mailFrom: 'example.test' }],
    ['%{l2r-}.x.test', 'b.a.x.test', { mailFrom: 'a-b-c@example.test' }],
    ['%{lr+-}.x.test', 'd.c.b.a.x.test', { mailFrom: 'a-b+c-d@example.test' }],
    ['%{s}.x.test', 'user@example.test.x.test'],
    ['%{S}.x.test', 'user%40example.test.x.test'],
    ['%{l}.x.test', '"a@b".x.test', { mailFrom: '"a@b"@example.test' }],
    ['%{l}.x.test', 'a b.x.test', { mailFrom: 'a b@example.test' }],
    ['%{h}', 'mail.helo.test'],
    ['%{h2}', 'helo.test'],
    ['%{i}.x.test', '192.0.2.1.x.test'],
    ['%{i}.x.test', '192.0.2.1.x.test', { ip: '::ffff:192.0.2.1' }],
    ['%{ir}.%{v}.x.test', '1.2.0.192.in-addr.x.test'],
    ['%{i2}.%{v}.x.test', '0.1.ip6.x.test', { ip: IP6 }],
    ['%{ir}.%{v}.x.test', '1.0.b.c.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.x.test', { ip: IP6 }],
    ['a%%b%_c%-d.x.test', 'a%b c%20d.x.test'],
    ['x.test.', 'x.test'],
    [`${'%{o}.'.repeat(20)}x.test`, `${'example.test.'.repeat(19)}x.test`],
  ]
  for (const [spec, name, circumstances] of rows) {
    test(`exists:${spec} asks for ${name} for ${JSON.stringify(circumstances ?? {})}`, async () => {
      const { asked } = await judge({ 'example.test': { TXT: `v=spf1 exists:${spec} -all` } }, circumstances)
      assert.deepEqual(asked, ['TXT example.test', `A ${name}`])
    })
  }

  test('%{d} is the domain of the policy that is evaluated, %{o} and %{l} stay those of the sender', async () => {
    const { asked } = await judge({
      'example.test': { TXT: 'v=spf1 include:inner.test redirect=last.test' },
      'inner.test': { TXT: 'v=spf1 exists:%{d}.%{o}.%{l}.x.test' },
      'last.test': { TXT: 'v=spf1 exists:%{d}.%{o}.%{l}.y.test' },
    })
    const names = asked.filter((question) => question.startsWith('A '))
    assert.deepEqual(names, ['A inner.test.example.test.user.x.test', 'A last.test.example.test.user.y.test'])
  })

  describe('%{p}', () => {
    const reverse = '1.2.0.192.in-addr.arpa'
    const host = { A: '192.0.2.1' }
    const names: readonly (readonly [what: string, zone: Zone, name: string])[] = [
      ['no PTR records', {}, 'unknown'],
      ['DNS does not answer', { [reverse]: { PTR: TIMEOUT } }, 'unknown'],
      ['a name that leads elsewhere', { [reverse]: { PTR: 'host.test' }, 'host.test': { A: '192.0.2.2' } }, 'unknown'],
      ['a name that leads back', { [reverse]: { PTR: 'host.test' }, 'host.test': host }, 'host.test'],
      [
        'a subdomain is preferred',
        { [reverse]: { PTR: ['host.test', 'mx.example.test'] }, 'host.test': host, 'mx.example.test': host },
        'mx.example.test',
      ],
      [
        'the domain itself is preferred to that',
        { [reverse]: { PTR: ['mx.example.test', 'EXAMPLE.test'] }, 'mx.example.test': host, 'example.test': host },
        'example.test',
      ],
      [
        'a name that only ends alike is none',
        { [reverse]: { PTR: ['host.test', 'notexample.test'] }, 'host.test': host, 'notexample.test': host },
        'host.test',
      ],
    ]
    for (const [what, zone, name] of names) {
      test(`${what}: ${name}`, async () => {
        const own = { ...zone, 'example.test': { ...zone['example.test'], TXT: 'v=spf1 exists:%{p}.x.test -all' } }
        assert.equal((await judge(own)).asked.at(-1), `A ${name}.x.test`)
      })
    }
  })
})
