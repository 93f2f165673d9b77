import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openInquiry, type WrittenDns } from '../judging/inquiry.fixture.ts'
import { checkSpf } from './check-spf.ts'
import { judgeSpf } from './spf-policy.ts'

const OURS = 'include:spf.acme.test'
const HOSTS: WrittenDns = {
  'spf.acme.test': { TXT: ['v=spf1 ip4:192.0.2.1 -all'] },
  'other.test': { TXT: ['v=spf1 ip4:192.0.2.2 -all'] },
  'alias.test': { CNAME: ['second.test'] },
  'second.test': { CNAME: ['spf.acme.test'] },
  'foreign.test': { CNAME: ['other.test'] },
}
const txt = (...values: readonly string[]) => ({ TXT: values })

async function check(dns: WrittenDns, { domainName = 'example.com', value = `v=spf1 ${OURS} ~all` } = {}) {
  const wanted = { type: 'TXT', name: domainName, value, purpose: 'SPF' } as const
  const { inquiry } = openInquiry({ ...HOSTS, ...dns }, wanted, { domainName })
  const { status, problem } = await checkSpf(inquiry)
  return { status, diagnosis: problem?.diagnosis, text: problem?.text ?? '' }
}

async function diagnose(policy: string) {
  const { diagnosis } = await check({ 'example.com': txt(policy) })
  return diagnosis
}

describe('an SPF record at another name', () => {
  const right = `v=spf1 ${OURS} -all`

  test('is looked for if there is none at the domain', async () => {
    assert.equal((await check({ '_spf.example.com': txt(right) })).diagnosis, 'wrong_place')
    assert.equal(
      (await check({ '_spf.example.com': txt(right), 'example.com': txt('hello') })).diagnosis,
      'wrong_place',
    )
    const shouted = txt(right.toUpperCase())
    assert.equal((await check({ 'www.example.com': shouted })).diagnosis, 'wrong_place')
    const value = 'v=spf1 include:SPF.acme.test ~all'
    assert.equal((await check({ '_spf.example.com': txt(right) }, { value })).diagnosis, 'wrong_place')
  })

  test('is not looked for if there is one at the domain', async () => {
    const dns = { '_spf.example.com': txt(right), 'example.com': txt(`v=spf1 -${OURS} -all`) }
    assert.equal((await check(dns)).diagnosis, 'spf_qualifier')
  })

  test('is ours only if it is an SPF record with all required terms', async () => {
    const missing = async (text: string, value?: string) => {
      const { diagnosis } = await check({ '_spf.example.com': txt(text) }, value === undefined ? {} : { value })
      return diagnosis
    }
    assert.equal(await missing(`see ${OURS}`), 'no_such_name')
    assert.equal(await missing('v=spf1 include:other.test -all'), 'no_such_name')
    assert.equal(await missing(right, `v=spf1 ${OURS} ip4:192.0.2.9 ~all`), 'no_such_name')
    assert.equal(await missing(right, 'v=spf1 ~all'), 'no_such_name')
  })

  test('does not apply to a subdomain', async () => {
    const domainName = 'mail.example.com'
    const above = await check({ 'example.com': txt('hello', right) }, { domainName })
    assert.match(above.text, /^The SPF record is at example\.com, but/)
    assert.equal((await check({ 'example.com': txt('hello') }, { domainName })).diagnosis, 'no_such_name')
    const beside = await check({ '_spf.mail.example.com': txt(right) }, { domainName })
    assert.match(beside.text, /^The SPF record is at _spf\.mail\.example\.com instead/)
  })
})

describe('the required terms', () => {
  test('may be written in any letter case, and with a final dot', async () => {
    const { inquiry } = openInquiry(HOSTS, { type: 'TXT', name: 'example.com', value: '', purpose: 'SPF' })
    for (const [term, policy] of [
      ['IP4:192.0.2.7', 'v=spf1 ip4:192.0.2.7 -all'],
      ['IP6:2001:db8::7', 'v=spf1 ip6:2001:db8::7 -all'],
      ['+INCLUDE:SPF.Acme.test.', `v=spf1 ${OURS} -all`],
    ] as const) {
      const judged = await judgeSpf('example.com', { kind: 'records', values: [policy] }, [term], inquiry)
      assert.deepEqual([judged.problem, judged.isUnknown], [undefined, false], term)
    }
  })

  test('may be included through a CNAME that leads to them, and not through another', async () => {
    assert.equal(await diagnose('v=spf1 include:alias.test -all'), undefined)
    assert.equal(await diagnose('v=spf1 include:foreign.test -all'), 'spf_missing')
  })
})

test('without required terms, the policy must be one that receivers can evaluate', async () => {
  const value = 'v=spf1 ~all'
  assert.equal((await check({ 'example.com': txt('v=spf1 include:other.test -all') }, { value })).status, 'valid')
  assert.equal((await check({ 'example.com': txt('v=spf1 moo -all') }, { value })).diagnosis, 'spf_broken')
})

describe('the reason why the policy does not let our mail pass', () => {
  test('is a missing space only if that can be why', async () => {
    assert.equal(await diagnose(`v=spf1 include:other.test${OURS} -all`), 'spf_joined')
    assert.equal(await diagnose(`v=spf1 -${OURS} include:other.testinclude:other.test`), 'spf_qualifier')
  })

  test('is an equals sign, a web address or a redirect without effect only if the term is missing', async () => {
    assert.match((await check({ 'example.com': txt('v=spf1 INCLUDE=spf.acme.test -all') })).text, /with an equals sign/)
    assert.match((await check({ 'example.com': txt('v=spf1 include:https://SPF.acme.test -all') })).text, /web address/)
    assert.equal(await diagnose('v=spf1 redirect=spf.acme.test -all'), 'spf_behind_all')
    assert.equal(await diagnose(`v=spf1 -all ${OURS} include=other.test`), 'spf_behind_all')
    assert.match(
      (await check({ 'example.com': txt(`v=spf1 -all ${OURS} include=other.test`) })).text,
      /is never reached/,
    )
    // After "all", but it would not lead to what is missing.
    assert.match((await check({ 'example.com': txt('v=spf1 -all include:other.test') })).text, /does not contain/)
  })
})
