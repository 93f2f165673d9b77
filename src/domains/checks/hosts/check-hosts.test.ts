/** The records that point to our hosts: MX, return path and tracking. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openInquiry, type WrittenDns } from '../judging/inquiry.fixture.ts'
import type { CheckRequest } from '../judging/inquiry.ts'
import { checkMx } from './check-mx.ts'
import { checkReturnPath } from './check-return-path.ts'
import { checkTracking } from './check-tracking.ts'

const MX = { type: 'MX', name: 'example.com', value: '10 mx.acme.test', purpose: 'MX' } as const
const RETURN_PATH = {
  type: 'CNAME',
  name: 'bounces.example.com',
  value: 'return.acme.test',
  purpose: 'RETURN_PATH',
} as const
const TRACKING = { type: 'CNAME', name: 'links.example.com', value: 'links.acme.test', purpose: 'TRACKING' } as const

async function check(
  run: typeof checkMx,
  wanted: Parameters<typeof openInquiry>[1],
  dns: WrittenDns,
  request: Partial<CheckRequest> = {},
) {
  const { inquiry, asked } = openInquiry(dns, wanted, request)
  const { problem, status, warnings } = await run(inquiry)
  return { status, warnings, diagnosis: problem?.diagnosis, asked }
}

describe('the MX record', () => {
  test('is looked for elsewhere only if there is none, and is found by its host', async () => {
    const doubled = 'example.com.example.com'
    const ours = { [doubled]: { MX: ['0 other.test', '5 mx.acme.test'] } }
    assert.equal((await check(checkMx, MX, ours)).diagnosis, 'doubled_zone')
    assert.equal((await check(checkMx, MX, { [doubled]: { MX: ['5 other.test'] } })).diagnosis, 'no_such_name')
    const both = await check(checkMx, MX, { ...ours, 'example.com': { MX: ['5 other.test'] } })
    assert.deepEqual([both.diagnosis, both.asked], ['wrong_target', []])
    const right = await check(checkMx, MX, { ...ours, 'example.com': { MX: ['5 mx.acme.test'] } })
    assert.deepEqual([right.status, right.asked], ['valid', []])
  })

  test('of a domain that is a CNAME is that of its target', async () => {
    const alias = { 'example.com': { CNAME: ['other.test'] }, 'other.test': { MX: ['5 other.test'] } }
    assert.equal((await check(checkMx, MX, alias)).diagnosis, 'domain_is_alias')
  })
})

describe('a CNAME that the provider has replaced with addresses', () => {
  const host = { 'links.acme.test': { A: ['192.0.2.1', '192.0.2.2'] } }
  const beside = 'envelog-no-such-name-7f3a.example.com'

  test('has the addresses of our host, even if a wildcard has them too', async () => {
    const ours = { A: ['192.0.2.1'] }
    const dns = { 'return.acme.test': ours, 'bounces.example.com': ours, [beside]: ours }
    assert.equal((await check(checkReturnPath, RETURN_PATH, dns)).diagnosis, 'flattened')
    assert.equal((await check(checkTracking, TRACKING, { ...host, 'links.example.com': ours })).status, 'valid')
  })

  test('is hidden by a proxy if one of the addresses is of a proxy, whatever the others are', async () => {
    const dns = { ...host, 'links.example.com': { A: ['192.0.2.1', '104.16.0.1'] } }
    assert.equal((await check(checkTracking, TRACKING, dns)).diagnosis, 'proxied')
  })

  test('is a wildcard if every name there has the same addresses', async () => {
    const other = { A: ['192.0.2.77'] }
    const dns = { ...host, 'links.example.com': other, [beside]: other }
    assert.equal((await check(checkTracking, TRACKING, dns)).diagnosis, 'wildcard')
  })
})

describe('the return path', () => {
  const alias = { 'bounces.example.com': { CNAME: ['return.acme.test'] } }

  test('leads to a host that can get mail; if it has neither MX nor address, there is a warning', async () => {
    for (const [host, count] of [
      [{ MX: ['10 mx.acme.test'] }, 0],
      [{ A: ['192.0.2.1'] }, 0],
      [{ AAAA: ['2001:db8::1'] }, 0],
      ['unreachable', 0],
      [{}, 1],
      [undefined, 1],
    ] as const) {
      const dns = { ...alias, ...(host && { 'return.acme.test': host }) }
      const { status, warnings } = await check(checkReturnPath, RETURN_PATH, dns)
      assert.deepEqual([status, warnings.length], ['valid', count], JSON.stringify(host))
    }
  })

  test('may have our MX and the SPF terms of the domain instead', async () => {
    const spf = {
      type: 'TXT',
      name: 'example.com',
      value: 'v=spf1 include:spf.acme.test ~all',
      purpose: 'SPF',
    } as const
    const dkim = { type: 'TXT', name: 's1._domainkey.example.com', value: 'v=DKIM1; p=a2V5', purpose: 'DKIM' } as const
    const records = [spf, dkim].map((record) => ({ ...record, required: true, status: 'pending', actual: [] }) as const)
    const host = {
      'return.acme.test': { MX: ['10 mx.acme.test'] },
      'spf.acme.test': { TXT: ['v=spf1 ip4:192.0.2.1 -all'] },
    }
    const withSpf = (text: string) => ({
      ...host,
      'bounces.example.com': { MX: ['10 mx.acme.test'], TXT: [text] },
    })
    const right = await check(checkReturnPath, RETURN_PATH, withSpf('v=spf1 include:spf.acme.test -all'), { records })
    assert.equal(right.status, 'valid')
    const wrong = await check(checkReturnPath, RETURN_PATH, withSpf('v=spf1 -all'), { records })
    assert.equal(wrong.status, 'invalid')
  })

  test('is unknown if its CNAME could not be queried, whatever else is', async () => {
    const { inquiry } = openInquiry({ 'bounces.example.com': 'unreachable' }, RETURN_PATH)
    const { status } = await checkReturnPath(inquiry)
    assert.deepEqual([status, inquiry.evidence.map(({ type }) => type)], ['unknown', ['CNAME']])
  })
})
