/** check_host(): which record counts, and what is decided before any term is looked at (RFC 7208 sections 3, 4.3 to 4.7). */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { SpfResult } from './spf-verdict.ts'
import { ALIAS_LOOP, type Circumstances, judge, TIMEOUT, type Zone, type ZoneRecords } from './zone.fixture.ts'

type Row = readonly [what: string, txt: ZoneRecords, result: SpfResult]

function table(rows: readonly Row[], others: Zone = {}): void {
  for (const [what, txt, result] of rows) {
    test(`${what}: ${result}`, async () => {
      const zone: Zone = { ...others, 'example.test': { ...others['example.test'], TXT: txt } }
      assert.equal((await judge(zone)).result, result)
    })
  }
}

describe('initial processing (section 4.3)', () => {
  const label63 = 'x'.repeat(63)
  const policy = { TXT: 'v=spf1 -all' }
  const zone: Zone = {
    'example.test': policy,
    'sub.example.test': policy,
    [`${label63}.example.test`]: policy,
    [`${label63}x.example.test`]: policy,
    test: policy,
    localhost: policy,
    '[192.0.2.1]': policy,
    '192.0.2.1': policy,
    'mail.helo.test': { TXT: 'v=spf1 ~all' },
  }
  const rows: readonly (readonly [what: string, circumstances: Circumstances, result: SpfResult])[] = [
    ['a domain with a policy', { mailFrom: 'user@example.test' }, 'fail'],
    ['letter case is no matter', { mailFrom: 'user@EXAMPLE.Test' }, 'fail'],
    ['a dot at the end', { mailFrom: 'user@example.test.' }, 'fail'],
    ['a label of 63 characters', { mailFrom: `user@${label63}.example.test` }, 'fail'],
    ['a label of 64 characters', { mailFrom: `user@${label63}x.example.test` }, 'none'],
    ['an empty label', { mailFrom: 'user@a..example.test' }, 'none'],
    ['a dot at the beginning', { mailFrom: 'user@.example.test' }, 'none'],
    ['a single label', { mailFrom: 'user@test' }, 'none'],
    ['an address literal', { mailFrom: 'user@[192.0.2.1]' }, 'none'],
    ['a bare address', { mailFrom: 'user@192.0.2.1' }, 'none'],
    ['a name beyond ASCII', { mailFrom: 'user@ex\u00e4mple.test' }, 'none'],
    ['a name longer than DNS allows', { mailFrom: `user@${'abc.'.repeat(62)}example.test` }, 'none'],
    ['a domain that does not exist', { mailFrom: 'user@gone.test' }, 'none'],
    ['the domain stands behind the last @', { mailFrom: '"a@gone.test"@example.test' }, 'fail'],
    ['a sender without @ is a domain', { mailFrom: 'example.test' }, 'fail'],
    ['an empty sender: the HELO name is checked', { mailFrom: '' }, 'softfail'],
    ['an empty sender and a HELO name of one label', { mailFrom: '', helo: 'localhost' }, 'none'],
    ['an empty sender and an address as HELO', { mailFrom: '', helo: '[192.0.2.1]' }, 'none'],
  ]
  for (const [what, circumstances, result] of rows) {
    test(`${what}: ${result}`, async () => assert.equal((await judge(zone, circumstances)).result, result))
  }

  test('nothing is asked for a name that cannot exist', async () => {
    assert.deepEqual((await judge(zone, { mailFrom: 'user@test' })).asked, [])
  })
})

describe('record lookup (section 4.4)', () => {
  table([
    ['DNS does not answer', TIMEOUT, 'temperror'],
    ['aliases that lead in a circle', ALIAS_LOOP, 'temperror'],
    ['no TXT records', [], 'none'],
    ['one record', 'v=spf1 -all', 'fail'],
    ['strings are joined without a space', [['v=spf1 ip4:192.0', '.2.1 -all']], 'pass'],
    ['strings that only together are a version', [['v=sp', 'f1 ', '-all']], 'fail'],
    ['the space between strings is missing', [['v=spf1', 'mx -all']], 'none'],
    ['a record of 450 bytes', `v=spf1 ${'ip4:203.0.113.1 '.repeat(27)}ip4:192.0.2.1 -all`, 'pass'],
    [
      'a record of thousands of bytes',
      [
        [...'x'.repeat(40)]
          .map((_, i) => `${i === 0 ? 'v=spf1' : ''} ip4:203.0.113.${i} ip6:2001:db8::${i}`)
          .concat(' ip4:192.0.2.1'),
      ],
      'pass',
    ],
  ])

  test('a name without TXT records and a name that does not exist have no policy', async () => {
    assert.equal((await judge({ 'example.test': { A: '192.0.2.1' } })).result, 'none')
    assert.equal((await judge({})).result, 'none')
  })

  test('only TXT records are asked for', async () => {
    assert.deepEqual((await judge({ 'example.test': { TXT: 'v=spf1 -all' } })).asked, ['TXT example.test'])
  })
})

describe('selecting records (section 4.5)', () => {
  table([
    ['two records', ['v=spf1 -all', 'v=spf1 +all'], 'permerror'],
    ['two equal records', ['v=spf1 -all', 'v=spf1 -all'], 'permerror'],
    ['two records, one in capitals', ['v=spf1 -all', 'V=SPF1 +all'], 'permerror'],
    ['two records, one of them broken', ['v=spf1 -all', 'v=spf1 moo'], 'permerror'],
    ['two records, one of them empty', ['v=spf1 -all', 'v=spf1'], 'permerror'],
    ['a record among others', ['verify=1', 'v=spf1 -all', 'v=spf10 +all', 'spf2.0/pra +all', ''], 'fail'],
    ['others may hold any bytes', ['\u0096', 'v=spf1 -all', '\0\0'], 'fail'],
    ['only others', ['verify=1', 'v=spf10 -all'], 'none'],
    ['a longer version', 'v=spf10', 'none'],
    ['a later version', 'v=spf2 -all', 'none'],
    ['a tab behind the version', 'v=spf1\t-all', 'none'],
    ['a semicolon behind the version', 'v=spf1; -all', 'none'],
    ['a space before the version', ' v=spf1 -all', 'none'],
    ['quotes around it', '"v=spf1 -all"', 'none'],
    ['the version alone', 'v=spf1', 'neutral'],
    ['the version and a space', 'v=spf1 ', 'neutral'],
    ['the version in any letter case', 'V=sPf1 ~all', 'softfail'],
  ])
})

describe('record evaluation (sections 3.1, 4.6 and 4.7)', () => {
  table(
    [
      ['an error behind the term that matches', 'v=spf1 ip4:192.0.2.1 -all moo', 'permerror'],
      ['an error in a modifier behind all', 'v=spf1 +all x=%', 'permerror'],
      ['an error in a term of the other family', 'v=spf1 ip4:192.0.2.1 ip6:zz', 'permerror'],
      ['spaces in a row', 'v=spf1   ip4:192.0.2.1   -all', 'pass'],
      ['spaces at the end', 'v=spf1 -all   ', 'fail'],
      ['a tab between terms', 'v=spf1 mx\t-all', 'permerror'],
      ['a line end in a term', 'v=spf1 a:mail.test\r -all', 'permerror'],
      ['a byte order mark', 'v=spf1 \ufeff-all', 'permerror'],
      ['letters beyond ASCII in a name', 'v=spf1 a:m\u00e4il.test -all', 'permerror'],
      ['letters beyond ASCII in an unknown modifier', 'v=spf1 x=\u00e4 -all', 'permerror'],
      ['a NUL', 'v=spf1 a:mail.test\0 -all', 'permerror'],
      ['unknown modifiers are ignored', 'v=spf1 x=y default=pass ip4:192.0.2.1 moo.cow-far_out=man:dog/cat', 'pass'],
      ['a modifier named like a mechanism', 'v=spf1 all=x ip4=y -all', 'fail'],
      ['nothing matches', 'v=spf1 ip4:203.0.113.1', 'neutral'],
      ['the first match counts', 'v=spf1 ?ip4:192.0.2.1 -ip4:192.0.2.1 +all', 'neutral'],
      ['+', 'v=spf1 +ip4:192.0.2.1 -all', 'pass'],
      ['-', 'v=spf1 -ip4:192.0.2.1 +all', 'fail'],
      ['~', 'v=spf1 ~ip4:192.0.2.1 +all', 'softfail'],
      ['?', 'v=spf1 ?ip4:192.0.2.1 +all', 'neutral'],
      ['names of mechanisms in any letter case', 'V=SPF1 IP4:192.0.2.1 -ALL', 'pass'],
    ],
    { 'mail.test': { A: '192.0.2.1' } },
  )

  test('a record with a syntax error makes nobody ask for anything', async () => {
    const { asked, problem } = await judge({ 'example.test': { TXT: 'v=spf1 mx include:a.test moo -all' } })
    assert.deepEqual(asked, ['TXT example.test'])
    assert.ok(problem?.kind === 'syntax')
    assert.deepEqual(
      problem.problems.map(({ text, at }) => [text, at]),
      [['moo', 25]],
    )
  })

  test('the verdict names the term that decided and the policy in which it stands', async () => {
    const { decidedBy } = await judge({
      'example.test': { TXT: 'v=spf1 mx redirect=other.test' },
      'other.test': { TXT: 'v=spf1 ~ip4:192.0.2.0/24 -all' },
    })
    assert.deepEqual([decidedBy?.domain, decidedBy?.term.text], ['other.test', '~ip4:192.0.2.0/24'])
  })
})
