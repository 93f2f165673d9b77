/** check_host(): what each mechanism matches (RFC 7208 section 5). */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { SpfResult } from './spf-verdict.ts'
import { ALIAS_LOOP, type Circumstances, judge, TIMEOUT, type Zone } from './zone.fixture.ts'

const IP6 = '2001:db8::1'
const MAPPED = '::ffff:192.0.2.1'

type Row = readonly [terms: string, result: SpfResult, circumstances?: Circumstances]

function table(rows: readonly Row[], others: Zone): void {
  for (const [terms, result, circumstances] of rows) {
    test(`"${terms}" for ${JSON.stringify(circumstances ?? {})}: ${result}`, async () => {
      const zone = { ...others, 'example.test': { ...others['example.test'], TXT: `v=spf1 ${terms}` } }
      assert.equal((await judge(zone, circumstances)).result, result)
    })
  }
}

describe('all (section 5.1)', () => {
  table(
    [
      ['all', 'pass'],
      ['?all', 'neutral'],
      ['~all -all', 'softfail'],
      ['-all ip4:192.0.2.1', 'fail'],
      ['-all redirect=open.test', 'fail'],
      ['redirect=open.test -all', 'fail'],
      ['redirect=gone.test ?all', 'neutral'],
    ],
    { 'open.test': { TXT: 'v=spf1 +all' } },
  )
})

describe('include (section 5.2)', () => {
  const zone: Zone = {
    'pass.test': { TXT: 'v=spf1 ip4:192.0.2.1 -all' },
    'fail.test': { TXT: 'v=spf1 ip4:203.0.113.1 -all' },
    'softfail.test': { TXT: 'v=spf1 ~all' },
    'neutral.test': { TXT: 'v=spf1' },
    'slow.test': { TXT: TIMEOUT },
    'loop.test': { TXT: ALIAS_LOOP },
    'broken.test': { TXT: 'v=spf1 moo' },
    'twice.test': { TXT: ['v=spf1 +all', 'v=spf1 -all'] },
    'other.test': { TXT: 'verify=1', A: '192.0.2.1' },
    'nested.test': { TXT: 'v=spf1 -include:fail.test include:pass.test -all' },
    'negated.test': { TXT: 'v=spf1 -include:pass.test +all' },
    'redirected.test': { TXT: 'v=spf1 redirect=pass.test' },
    'own.test': { TXT: 'v=spf1 a -all', A: '192.0.2.1' },
    'sub.example.test': { TXT: 'v=spf1 +all' },
  }
  table(
    [
      ['include:pass.test ~all', 'pass'],
      ['-include:pass.test +all', 'fail'],
      ['~include:pass.test +all', 'softfail'],
      ['?include:pass.test -all', 'neutral'],
      ['include:fail.test ~all', 'softfail'],
      ['-include:fail.test +all', 'pass'],
      ['include:softfail.test -all', 'fail'],
      ['include:neutral.test -all', 'fail'],
      ['include:slow.test +all', 'temperror'],
      ['include:loop.test +all', 'temperror'],
      ['include:broken.test +all', 'permerror'],
      ['include:twice.test +all', 'permerror'],
      ['include:gone.test +all', 'permerror'],
      ['include:other.test +all', 'permerror'],
      ['?include:gone.test +all', 'permerror'],
      ['ip4:192.0.2.1 include:gone.test', 'pass'],
      ['include:nested.test -all', 'pass'],
      ['include:negated.test ~all', 'softfail'],
      ['include:redirected.test -all', 'pass'],
      ['include:own.test -all', 'pass'],
      ['include:sub.%{d} -all', 'pass'],
      ['include:PASS.test. -all', 'pass'],
      ['include:fail.test include:pass.test -all', 'pass'],
      // The target of a macro is malformed: section 4.3 finds no policy there.
      ['include:%{l}.pass.test -all', 'permerror', { mailFrom: 'a..b@example.test' }],
      ['include:%{h} -all', 'permerror', { helo: 'localhost' }],
      // RFC 8616 section 4.
      ['include:%{l}.pass.test ip4:192.0.2.1', 'pass', { mailFrom: 'm\u00fcller@example.test' }],
      ['exists:%{s}.pass.test ?all', 'neutral', { mailFrom: 'm\u00fcller@example.test' }],
    ],
    zone,
  )
})

describe('a (section 5.3)', () => {
  table(
    [
      ['a -all', 'pass', { ip: '192.0.2.10' }],
      ['a -all', 'fail'],
      ['a/24 -all', 'pass'],
      ['a/0 -all', 'pass', { ip: '203.0.113.250' }],
      ['a//0 -all', 'fail'],
      ['a//0 -all', 'pass', { ip: IP6 }],
      ['a//64 -all', 'pass', { ip: IP6 }],
      ['a//128 -all', 'fail', { ip: IP6 }],
      ['a/0 -all', 'fail', { ip: IP6 }],
      ['a/24//64 -all', 'pass', { ip: MAPPED }],
      ['a//0 -all', 'fail', { ip: MAPPED }],
      ['a:mail.test -all', 'pass'],
      ['a:MAIL.Test. -all', 'pass'],
      ['a:mail.test -all', 'pass', { ip: '203.0.113.7' }],
      ['a:mail.test -all', 'pass', { ip: IP6 }],
      ['a:four.test//0 -all', 'fail', { ip: IP6 }],
      ['a:six.test/0 -all', 'fail'],
      ['a:six.test//32 -all', 'pass', { ip: '2001:db8:ffff::' }],
      ['a:gone.test/0 -all', 'fail'],
      ['a:slow.test +all', 'temperror'],
      ['a:slow.test +all', 'pass', { ip: IP6 }],
      ['a:loop.test +all', 'temperror'],
      ['a:odd:name/24.test -all', 'pass'],
      ['a:bad..name.test ~all', 'softfail'],
      [`a:${'x'.repeat(64)}.test ~all`, 'softfail'],
      ['a:%{h} ~all', 'softfail', { helo: '[192.0.2.1]' }],
      ['a:%{H}.test ~all', 'softfail', { helo: '%'.repeat(22) }],
      ['a:many.test -all', 'pass', { ip: '192.0.2.250' }],
      ['a:words.test -all', 'fail'],
    ],
    {
      'example.test': { A: '192.0.2.10', AAAA: '2001:db8::10' },
      'mail.test': { A: ['203.0.113.7', '192.0.2.1'], AAAA: IP6 },
      'four.test': { A: '192.0.2.1' },
      'six.test': { AAAA: IP6 },
      'slow.test': { A: TIMEOUT, AAAA: '2001:db8::2' },
      'loop.test': { A: ALIAS_LOOP },
      'odd:name/24.test': { A: '192.0.2.1' },
      // Section 4.6.4 limits names, not the addresses of a name.
      'many.test': { A: Array.from({ length: 250 }, (_, index) => `192.0.2.${index + 1}`) },
      'words.test': { A: ['no address', '192.0.2.1x'] },
    },
  )
})

describe('mx (section 5.4)', () => {
  table(
    [
      ['mx -all', 'pass'],
      ['mx -all', 'fail', { ip: '192.0.2.2' }],
      ['mx/24 -all', 'pass', { ip: '192.0.2.2' }],
      ['mx//64 -all', 'pass', { ip: '2001:db8::abcd' }],
      ['mx//0 -all', 'fail', { ip: '192.0.2.2' }],
      ['mx:two.test -all', 'pass'],
      ['mx:two.test/0 -all', 'fail', { ip: '2001:db8::2' }],
      ['mx:null.test ?all', 'neutral'],
      ['mx:host.test ?all', 'neutral'],
      ['mx:gone.test/0 -all', 'fail'],
      ['mx:dangling.test/0 -all', 'fail'],
      ['mx:slow.test +all', 'temperror'],
      ['mx:slowhost.test +all', 'temperror'],
      ['mx:order.test -all', 'pass'],
      ['mx:odd:name/24.test -all', 'pass'],
      ['mx:bad..name.test ~all', 'softfail'],
      ['mx:local.test ~all', 'softfail'],
    ],
    {
      'example.test': { MX: '10 host.test' },
      'host.test': { A: '192.0.2.1', AAAA: IP6 },
      'two.test': { MX: ['10 gone.test', '20 host.test.'] },
      'null.test': { MX: '0 .' },
      'dangling.test': { MX: '10 gone.test' },
      'slow.test': { MX: TIMEOUT },
      'silent.test': { A: TIMEOUT },
      'slowhost.test': { MX: ['10 gone.test', '20 silent.test'] },
      // The better preference is asked first and matches before DNS fails.
      'order.test': { MX: ['20 silent.test', '10 HOST.test'] },
      'odd:name/24.test': { MX: '5 odd:name/24.test', A: '192.0.2.1' },
      'local.test': { MX: '10 localhost' },
    },
  )
})

describe('ptr (section 5.5)', () => {
  const zone: Zone = {
    '1.2.0.192.in-addr.arpa': { PTR: ['forged.example.test', 'Mail.Example.Test.', 'elsewhere.test', 'localhost'] },
    'mail.example.test': { A: ['203.0.113.1', '192.0.2.1'] },
    'elsewhere.test': { A: '192.0.2.1' },
    'forged.example.test': { A: '203.0.113.66' },
    '2.2.0.192.in-addr.arpa': { PTR: ['notexample.test', 'slow.test', 'example.test'] },
    'notexample.test': { A: '192.0.2.2' },
    'slow.test': { A: TIMEOUT },
    'example.test': { A: '192.0.2.2' },
    '3.2.0.192.in-addr.arpa': { PTR: TIMEOUT },
    '4.2.0.192.in-addr.arpa': { PTR: ['notexample.test', 'gone.test', 'a..example.test'] },
    '1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa': { PTR: 'six.example.test' },
    'six.example.test': { AAAA: '2001:DB8:0::1', A: '192.0.2.1' },
  }
  table(
    [
      ['ptr -all', 'pass'],
      ['ptr -all', 'pass', { ip: MAPPED }],
      ['ptr:mail.example.test -all', 'pass'],
      ['ptr:MAIL.example.test. -all', 'pass'],
      ['ptr:forged.example.test -all', 'fail'],
      ['ptr:elsewhere.test -all', 'pass'],
      ['ptr:where.test -all', 'fail'],
      ['ptr:%{d} -all', 'pass'],
      ['ptr -all', 'pass', { ip: '192.0.2.2' }],
      ['ptr ~all', 'softfail', { ip: '192.0.2.3' }],
      ['ptr ~all', 'softfail', { ip: '192.0.2.4' }],
      ['ptr ~all', 'softfail', { ip: '192.0.2.5' }],
      ['ptr -all', 'pass', { ip: IP6 }],
      ['ptr:%{h} ~all', 'softfail', { helo: 'localhost' }],
    ],
    zone,
  )
})

describe('ip4 and ip6 (section 5.6)', () => {
  table(
    [
      ['ip4:192.0.2.1 -all', 'pass'],
      ['ip4:192.0.2.2 -all', 'fail'],
      ['ip4:192.0.2.2/31 -all', 'fail'],
      ['ip4:192.0.2.0/31 -all', 'pass'],
      ['ip4:203.0.113.1/0 -all', 'pass'],
      ['ip4:192.0.2.1/32 -all', 'pass', { ip: MAPPED }],
      ['ip4:0.0.0.0/0 -all', 'fail', { ip: IP6 }],
      ['ip6:::/0 -all', 'fail'],
      ['ip6:::ffff:192.0.2.1 -all', 'fail', { ip: MAPPED }],
      ['ip6:::ffff:0:0/96 -all', 'fail'],
      ['ip6:2001:DB8:: -all', 'fail', { ip: IP6 }],
      ['ip6:2001:DB8::/127 -all', 'pass', { ip: IP6 }],
      ['ip6:2001:db8:8000::/33 -all', 'pass', { ip: '2001:db8:8000::1' }],
      ['ip6:2001:db8:8000::/33 -all', 'fail', { ip: '2001:db8:7fff::1' }],
      ['ip6:::/0 -all', 'pass', { ip: IP6 }],
      ['ip6:2001:db8:0:0:0:0:0:1 -all', 'pass', { ip: '2001:0DB8::0001' }],
      ['ip6:::192.0.2.1 -all', 'pass', { ip: '::c000:201' }],
    ],
    {},
  )

  test('nothing is asked for networks', async () => {
    const { asked, lookups } = await judge({ 'example.test': { TXT: 'v=spf1 ip4:192.0.2.2 ip6:::1 -all' } })
    assert.deepEqual([asked, lookups], [['TXT example.test'], 0])
  })
})

describe('exists (section 5.7)', () => {
  table(
    [
      ['exists:host.test -all', 'pass'],
      ['exists:host.test -all', 'pass', { ip: IP6 }],
      ['exists:six.test -all', 'fail', { ip: IP6 }],
      ['exists:gone.test -all', 'fail'],
      ['exists:slow.test +all', 'temperror'],
      ['exists:bad..host.test -all', 'fail'],
      ['exists:%{i}.list.test -all', 'pass'],
      ['exists:%{i}.list.test -all', 'fail', { ip: '192.0.2.2' }],
      ['exists:%{i} -all', 'fail'],
      ['exists:%{ir}.%{v}.list.test -all', 'pass', { ip: IP6 }],
      ['exists:%{l}.%{o}.list.test -all', 'pass', { mailFrom: 'USER@example.test' }],
      ['exists:%{l}.%{o}.list.test -all', 'fail', { mailFrom: 'other@example.test' }],
      ['exists:a%%b%_c%-d.list.test -all', 'pass'],
    ],
    {
      'host.test': { A: '127.0.0.2' },
      'six.test': { AAAA: '::1' },
      'slow.test': { A: TIMEOUT },
      '192.0.2.1.list.test': { A: '127.0.0.2' },
      '1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.list.test': { A: '127.0.0.2' },
      'user.example.test.list.test': { A: '127.0.0.2' },
      'a%b c%20d.list.test': { A: '127.0.0.2' },
    },
  )
})
