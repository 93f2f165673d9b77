/** Mistakes that are found by looking at other names. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { DnsAnswer } from '../../dns-resolver.ts'
import { openInquiry } from '../judging/inquiry.fixture.ts'
import { rightRecord, unknownRecord, type Verdict, wrongRecord } from '../judging/verdict.ts'
import { findDomainAlias } from './domain-alias.ts'
import { findWildcard } from './wildcard.ts'

const SPF = { type: 'TXT', name: 'example.com', value: 'v=spf1 -all', purpose: 'SPF' } as const
const DKIM = { type: 'TXT', name: 's1._domainkey.example.com', value: 'v=DKIM1', purpose: 'DKIM' } as const

describe('a domain that is a CNAME', () => {
  const aliasTo = (target: string): DnsAnswer<'TXT'> => {
    return { kind: 'no_such_type', aliases: [{ name: 'example.com', target, ttlSeconds: 60 }] }
  }
  const ELSEWHERE = aliasTo('elsewhere.test')
  const wrong = wrongRecord([], 'no_spf', 'There is none.')
  const diagnose = async (answer: DnsAnswer, verdict: Verdict, record: typeof SPF | typeof DKIM = SPF) => {
    const found = await findDomainAlias(openInquiry({}, record).inquiry, answer, verdict)
    return found?.diagnosis
  }

  test('is the reason of a wrong record at its own name, and of no other', async () => {
    assert.equal(await diagnose(ELSEWHERE, wrong), 'domain_is_alias')
    assert.equal(await diagnose(ELSEWHERE, wrong, DKIM), undefined)
    assert.equal(await diagnose({ kind: 'no_such_type', aliases: [] }, wrong), undefined)
  })

  test('is not the reason if the record is right or unknown, the servers disagree, or there is a loop', async () => {
    const { aliases } = ELSEWHERE
    const record = { ...SPF, required: true, status: 'pending', actual: [] } as const
    assert.equal(await diagnose(ELSEWHERE, rightRecord([])), undefined)
    assert.equal(await diagnose(ELSEWHERE, unknownRecord(record, 'why')), undefined)
    assert.equal(await diagnose(ELSEWHERE, wrongRecord([], 'servers_disagree', '')), undefined)
    assert.equal(await diagnose({ kind: 'alias_loop', reason: 'a loop', aliases }, wrong), undefined)
  })

  test('of the same organization can be changed there, unless its target does not exist', async () => {
    const { inquiry } = openInquiry({}, SPF)
    const within = aliasTo('www.example.com')
    const found = await findDomainAlias(inquiry, within, wrong)
    assert.equal(found?.diagnosis, 'no_spf')
    assert.match(found.text, /^There is none\. example\.com is a CNAME .*change them there\.$/)
    assert.equal(await diagnose(within, wrongRecord([], 'dangling_alias', '')), undefined)
    assert.equal(await diagnose(ELSEWHERE, wrongRecord([], 'dangling_alias', '')), 'domain_is_alias')
  })
})

test('a wildcard has the same values, in any order, for a name that nobody has', async () => {
  const beside = 'envelog-no-such-name-7f3a._domainkey.example.com'
  const isWildcard = async (values: readonly string[], others: readonly string[]) => {
    const dns = { [DKIM.name]: { TXT: values }, [beside]: { TXT: others } }
    return (await findWildcard(openInquiry(dns, DKIM).inquiry))?.diagnosis === 'wildcard'
  }
  assert.equal(await isWildcard(['a', 'b'], ['b', 'a']), true)
  assert.equal(await isWildcard(['a', 'b'], ['a']), false)
})
