import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sampleDomain } from '../../../../test/harness/app/sample-domain.ts'
import type { Domain, RequiredDnsRecord, VerificationError } from '../../../domains/domain.ts'
import { toDomainDetail, toDomainSummary } from './domain-views.ts'

function domainOf(changes: Partial<Domain>): Domain {
  return { ...sampleDomain('t1', 'mail.acme.test', changes), number: 1 }
}

function recordOf(changes: Partial<RequiredDnsRecord> = {}): RequiredDnsRecord {
  const required = {
    purpose: 'SPF',
    type: 'TXT',
    name: 'mail.acme.test',
    value: 'v=spf1 -all',
    required: true,
  } as const
  return { ...required, status: 'invalid', actual: [], ...changes }
}

function errorOf(changes: Partial<VerificationError> = {}): VerificationError {
  return { type: 'TXT', error: 'it is missing', required: ['v=spf1 -all'], actual: [], ...changes }
}

describe('a record of a domain has its error', () => {
  const show = (record: RequiredDnsRecord, ...errors: readonly VerificationError[]) => {
    const [shown] = toDomainDetail(domainOf({ dnsRecords: [record], lastVerificationErrors: errors })).records
    return shown
  }

  test('by the value that is required', () => {
    const shown = show(recordOf(), errorOf({ required: ['other'] }), errorOf())
    assert.deepEqual([shown?.error, shown?.wanted, shown?.found], ['it is missing', ['v=spf1 -all'], []])
    assert.deepEqual([shown?.host, shown?.zone], ['mail', 'acme.test'])
  })

  test('by what was found, if the required value was merged with it', () => {
    const actual = ['v=spf1 a -all']
    const merged = errorOf({ required: ['v=spf1 a include:x -all'], actual })
    assert.deepEqual(show(recordOf({ actual }), merged)?.wanted, merged.required)
    assert.equal(show(recordOf({ actual: ['v=spf1 mx -all'] }), merged)?.error, undefined)
    assert.equal(show(recordOf({ actual, type: 'CNAME' }), merged)?.error, undefined)
    // Nothing was found for either: that says nothing.
    assert.equal(show(recordOf(), errorOf({ required: ['other'] }))?.error, undefined)
  })

  test('unless it is correct; and it is wanted as it is if the error says nothing else', () => {
    const right = show(recordOf({ status: 'valid' }), errorOf())
    assert.deepEqual([right?.error, right?.wanted], [undefined, ['v=spf1 -all']])
    const actual = ['x']
    assert.deepEqual(show(recordOf({ actual }), errorOf({ required: [], actual }))?.wanted, ['v=spf1 -all'])
  })
})

test('a purpose is verified if all required records of it are; DMARC also if it is only recommended', () => {
  const summarize = (...dnsRecords: readonly RequiredDnsRecord[]) => {
    const { dkimVerified, spfVerified, dmarcVerified } = toDomainSummary(domainOf({ dnsRecords }))
    return [dkimVerified, spfVerified, dmarcVerified]
  }
  const [valid, optional] = [{ status: 'valid' }, { required: false }] as const
  assert.deepEqual(summarize(), [false, false, false])
  assert.deepEqual(summarize(recordOf(valid), recordOf({ purpose: 'DKIM' })), [false, true, false])
  assert.deepEqual(summarize(recordOf(valid), recordOf()), [false, false, false])
  assert.deepEqual(summarize(recordOf(valid), recordOf(optional)), [false, true, false])
  assert.deepEqual(summarize(recordOf({ ...valid, ...optional })), [false, false, false])
  assert.deepEqual(summarize(recordOf({ ...valid, ...optional, purpose: 'DMARC' })), [false, false, true])
})

test('times are shown if there are any; an inactive domain is not checked again', () => {
  const recheck = { atMs: 60_000, step: 1 }
  const shown = toDomainSummary(domainOf({ recheck, lastVerificationCheckedAtMs: 1000 }))
  assert.deepEqual([shown.lastCheckAt, shown.nextCheckAt], ['1970-01-01T00:00:01.000Z', '1970-01-01T00:01:00.000Z'])
  const none = toDomainSummary(domainOf({ recheck, isActive: false }))
  assert.deepEqual([none.lastCheckAt, none.nextCheckAt, none.active], [null, null, false])
})
