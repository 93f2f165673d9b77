import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openInquiry, type WrittenDns } from '../judging/inquiry.fixture.ts'
import { checkDmarc } from './check-dmarc.ts'

const RIGHT = 'v=DMARC1; p=none'
const txt = (...values: readonly string[]) => ({ TXT: values })

async function check(dns: WrittenDns, domainName = 'example.com', zone = 'example.com') {
  const wanted = { type: 'TXT', name: `_dmarc.${domainName}`, value: RIGHT, purpose: 'DMARC' } as const
  const { inquiry, asked } = openInquiry(dns, wanted, { domainName, zone })
  const { problem, ...verdict } = await checkDmarc(inquiry)
  return { ...verdict, diagnosis: problem?.diagnosis, text: problem?.text ?? '', asked }
}

describe('a DMARC record', () => {
  test('that is right is not looked for elsewhere', async () => {
    const dns = { '_dmarc.mail.example.com': txt(RIGHT), '_dmarc.example.com': txt(RIGHT) }
    const { status, warnings, asked } = await check(dns, 'mail.example.com')
    assert.deepEqual([status, warnings, asked], ['valid', [], []])
  })

  test('is named by what is wrong with it', async () => {
    for (const [value, diagnosis, words] of [
      ['"v=DMARC1; p=none"', 'quotes_left', /quotation marks/],
      ['"hello"', 'wrong_value', /must begin with/],
      [` ${RIGHT}`, 'wrong_value', /must begin with/],
      ['v=DMARC1; p=none; p=reject', 'dmarc_policy', /not a list of tags/],
      ['v=DMARC1; p=block', 'dmarc_policy', /has no p= tag/],
    ] as const) {
      const { diagnosis: found, text } = await check({ '_dmarc.example.com': txt(value) })
      assert.equal(found, diagnosis, value)
      assert.match(text, words)
    }
  })
})

describe('a missing DMARC record', () => {
  test('of the registered domain is looked for at other names, and not at its own again or beside it', async () => {
    const { diagnosis, asked } = await check({})
    assert.equal(diagnosis, 'no_such_name')
    assert.deepEqual(asked.toSorted(), [
      'TXT _dmarc.example.com.example.com',
      'TXT dmarc.example.com',
      'TXT example.com',
    ])
    assert.equal((await check({ 'dmarc.example.com': txt(RIGHT) })).diagnosis, 'wrong_place')
  })

  test('may be at the name of the zone', async () => {
    const dns = { '_dmarc.sub.example.com': txt(RIGHT) }
    assert.equal((await check(dns, 'a.sub.example.com', 'sub.example.com')).diagnosis, 'wrong_place')
  })

  test('of a subdomain is that of the registered domain, if there is a right one', async () => {
    const inherited = await check({ '_dmarc.example.com': txt(RIGHT) }, 'mail.example.com')
    assert.equal(inherited.status, 'valid')
    assert.match(inherited.warnings[0] ?? '', /the one at _dmarc\.example\.com applies/)
    assert.equal((await check({}, 'mail.example.com')).diagnosis, 'no_such_name')
    const wrong = await check({ '_dmarc.example.com': txt('v=DMARC1; p=block') }, 'mail.example.com')
    assert.equal(wrong.diagnosis, 'wrong_place')
  })

  test('may be hidden by a wildcard', async () => {
    const wildcard = txt('v=spf1 -all')
    const dns = { '_dmarc.example.com': wildcard, 'envelog-no-such-name-7f3a.example.com': wildcard }
    assert.equal((await check(dns)).diagnosis, 'wildcard')
  })
})
