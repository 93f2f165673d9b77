import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type DomainReport, listCautions } from './domain-report.ts'

test('mistakes that do no harm yet are listed for required records only', () => {
  const report = (required: boolean): DomainReport => {
    const record = { type: 'TXT', name: 'example.com', value: 'v=spf1 -all', purpose: 'SPF', required } as const
    const caution = { diagnosis: 'spf_broken', text: 'a mistake' } as const
    return {
      domainName: 'example.com',
      records: [
        {
          record: { ...record, status: 'valid', actual: ['found'] },
          warnings: [caution.text],
          cautions: [caution],
          evidence: [],
        },
      ],
    }
  }
  assert.deepEqual(listCautions(report(true)), [{ type: 'TXT', error: 'a mistake', required: [], actual: ['found'] }])
  assert.deepEqual(listCautions(report(false)), [])
})
