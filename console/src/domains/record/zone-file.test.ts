import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PublishedRecord } from '../../../../src/http/v1/domains/domains.wire.ts'
import { toZoneFile } from './zone-file.ts'

function record(fields: Partial<PublishedRecord>): PublishedRecord {
  const common = { purpose: 'DKIM', type: 'TXT', name: 'acme.test', host: '@', zone: 'acme.test', value: '' } as const
  return { ...common, required: true, status: 'pending', wanted: [], found: [], ...fields }
}

test('names are absolute, and long values are split into strings of 255 bytes', () => {
  const key = `v=DKIM1; p=${'A'.repeat(400)}`
  const file = toZoneFile({
    name: 'acme.test',
    records: [
      record({ name: 's1._domainkey.acme.test', value: key }),
      record({ purpose: 'RETURN_PATH', type: 'CNAME', name: 'bounces.acme.test', value: 'mail.operator.test' }),
      record({ purpose: 'MX', type: 'MX', value: '10 mx.operator.test' }),
    ],
  })
  assert.deepEqual(file.split('\n'), [
    '; DNS records of acme.test',
    `s1._domainkey.acme.test. 3600 IN TXT "${key.slice(0, 255)}" "${key.slice(255)}"`,
    'bounces.acme.test. 3600 IN CNAME mail.operator.test.',
    'acme.test. 3600 IN MX 10 mx.operator.test.',
    '',
  ])
})

test('an SPF record that exists is replaced by the combined one, with a remark; foreign characters are escaped', () => {
  const wanted = ['v=spf1 include:a.test "x\\ é ~all']
  const file = toZoneFile({
    name: 'acme.test',
    records: [record({ purpose: 'SPF', value: 'v=spf1 ~all', status: 'invalid', wanted, found: ['v=spf1 -all'] })],
  })
  assert.match(file, /^; The SPF record replaces the one that exists/m)
  assert(file.includes(String.raw`TXT "v=spf1 include:a.test \"x\\ \195\169 ~all"`), file)
})
