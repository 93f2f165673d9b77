import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createToldDns } from '../../../../test/harness/app/told-dns.ts'
import { Inquiry } from '../judging/inquiry.ts'
import { checkDkim } from './check-dkim.ts'

const KEY = Buffer.alloc(294, 'key').toString('base64')
const RIGHT = `v=DKIM1; k=rsa; p=${KEY}`
const NAME = 's1._domainkey.example.com'

/** `zone`: the TXT records by name. */
async function check(zone: Readonly<Record<string, readonly string[]>>, value = RIGHT) {
  const record = {
    type: 'TXT',
    name: NAME,
    value,
    purpose: 'DKIM',
    required: true,
    status: 'pending',
    actual: [],
  } as const
  const dns = createToldDns((name) => {
    const values = zone[name]
    return values && { kind: 'records', values }
  })
  const request = { domainName: 'example.com', records: [record] }
  const verdict = await checkDkim(new Inquiry(record, request, dns.session(), new AbortController().signal))
  return { ...verdict, diagnosis: verdict.problem?.diagnosis, asked: dns.asked }
}

describe('several records at the selector', () => {
  test('are named as such, with advice that depends on whether one of them is correct', async () => {
    const others = ['v=DKIM1; p=other', 'v=DKIM1; p=another']
    const none = await check({ [NAME]: others })
    assert.equal(none.diagnosis, 'several_records')
    assert.match(none.problem?.text ?? '', /Keep a single record/)
    const one = await check({ [NAME]: [...others, RIGHT] })
    assert.equal(one.diagnosis, 'several_records')
    assert.match(one.problem?.text ?? '', /One of them is correct/)
  })

  test('are pieces of one if they are correct together, in any order, and not more than four', async () => {
    const cut = (count: number) => {
      const length = Math.ceil(RIGHT.length / count)
      return Array.from({ length: count }, (_, index) => RIGHT.slice(index * length, (index + 1) * length))
    }
    for (const count of [2, 3, 4]) {
      assert.equal((await check({ [NAME]: cut(count).toReversed() })).diagnosis, 'split_records', `${count}`)
    }
    assert.equal((await check({ [NAME]: cut(5) })).diagnosis, 'several_records')
  })
})

test('damage from copying is the reason only if nothing else is wrong, and spaces around the value are none', async () => {
  assert.equal((await check({ [NAME]: [` ${RIGHT} `] })).status, 'valid')
  assert.equal((await check({ [NAME]: [`"${RIGHT}"`] })).diagnosis, 'quotes_left')
  assert.notEqual((await check({ [NAME]: ['"v=DKIM1; k=rsa; p=b3RoZXI="'] })).diagnosis, 'quotes_left')
})

describe('a key at another name', () => {
  test('is looked for only if there is no key at the right one', async () => {
    const right = await check({ [NAME]: [RIGHT], 'example.com': [RIGHT] })
    assert.deepEqual([right.status, right.asked], ['valid', [NAME]])
    const revoked = await check({ [NAME]: ['v=DKIM1; p='], 'example.com': [RIGHT] })
    assert.deepEqual([revoked.diagnosis, revoked.asked], ['key_revoked', [NAME]])
    assert.equal((await check({ 'example.com': [RIGHT] })).diagnosis, 'wrong_place')
    assert.equal((await check({ [NAME]: ['something'], 'example.com': [RIGHT] })).diagnosis, 'wrong_place')
  })

  test('is ours also if it is truncated, but not if only its beginning is there', async () => {
    assert.equal((await check({ 'example.com': [RIGHT.slice(0, 101)] })).diagnosis, 'wrong_place')
    assert.equal((await check({ 'example.com': [RIGHT.slice(0, 100)] })).diagnosis, 'no_such_name')
    assert.equal((await check({ 'example.com': [`v=DKIM2; k=rsa; p=${KEY}`] })).diagnosis, 'no_such_name')
    assert.equal((await check({ 'example.com': ['v=spf1 -all'] })).diagnosis, 'no_such_name')
  })

  test("is nobody's if any key is accepted", async () => {
    assert.equal((await check({ 'example.com': [RIGHT, 'other'] }, 'v=DKIM1')).diagnosis, 'no_such_name')
  })
})
