import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newDomain } from '../../storage/contract/control/domain-scene.ts'
import { findKeyInState, findKeyRecord } from './dkim-keys.ts'
import { mergeCheckedRecords } from './merge-records.ts'
import { requiredRecords } from './required-records.ts'

const NAME = 'example.com'
const KEY = { selector: 's1', publicKey: 'a2V5' }
const records = requiredRecords(NAME, KEY, { spfInclude: 'spf.acme.test', mxHost: 'mx.acme.test' })

test('a domain has an MX record to publish only if there is a host for its mail', () => {
  const purposes = requiredRecords(NAME, KEY, { spfInclude: 'spf.acme.test' }).map(({ purpose }) => purpose)
  assert.deepEqual(purposes, ['DKIM', 'SPF', 'DMARC'])
  assert.deepEqual([records.at(-1)?.purpose, records.at(-1)?.value], ['MX', '10 mx.acme.test'])
})

test('a check updates the records that it was about, and neither adds nor removes any', () => {
  const checked = records.map((record) => ({ ...record, status: 'valid' as const, actual: ['found'] }))
  assert.deepEqual(mergeCheckedRecords(records, checked), checked)
  for (const field of ['purpose', 'type', 'name', 'value'] as const) {
    const others = checked.map((record) => ({ ...record, [field]: 'other' })) as typeof checked
    assert.deepEqual(mergeCheckedRecords(records, others), records, field)
  }
  assert.deepEqual(mergeCheckedRecords(records, []), records)
  assert.deepEqual(mergeCheckedRecords([], checked), [])
})

test('a key is found by its state, and its record by its selector', () => {
  const key = { algorithm: 'rsa', publicKey: '', sealedPrivateKey: new Uint8Array(), createdAtMs: 0 } as const
  const dkimKeys = (['previous', 'current', 'next'] as const).map((state) => ({ ...key, selector: state, state }))
  const domain = newDomain(1, { dkimKeys })
  assert.equal(findKeyInState(domain, 'current'), dkimKeys[1])
  assert.equal(findKeyInState(domain, 'next'), dkimKeys[2])
  const other = { ...records[1], name: 's2._domainkey.example.com' } as (typeof records)[number]
  const dnsRecords = [other, ...records]
  assert.equal(findKeyRecord({ name: NAME, dnsRecords }, { selector: 's1' }), records[0])
  assert.equal(findKeyRecord({ name: NAME, dnsRecords }, { selector: 's2' }), undefined)
})
