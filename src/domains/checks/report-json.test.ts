import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openZone, TIMEOUT, type Zone } from '../spf/fixtures/zone.fixture.ts'
import { readSpfTree } from '../spf/tree/read-spf-tree.ts'
import type { DomainReport, RecordReport } from './domain-report.ts'
import { isStorable, toNodeJson, toReportJson, toStoredSpf } from './report-json.ts'

const RECORD = {
  type: 'TXT',
  name: 'example.test',
  value: 'v=spf1 -all',
  purpose: 'SPF',
  required: true,
  status: 'valid',
  actual: ['found'],
} as const
const RIGHT: RecordReport = { record: RECORD, warnings: ['a warning'], cautions: [], evidence: [] }

async function read(zone: Zone) {
  return readSpfTree('example.test', openZone(zone).dns)
}

describe('the report as JSON', () => {
  test('has the fields of each record, and a problem only if there is one', () => {
    const { record, ...rest } = RIGHT
    const error = { type: 'TXT', error: 'wrong', required: ['this'], actual: ['found'] } as const
    const wrong: RecordReport = { ...RIGHT, diagnosis: 'no_spf', error }
    const report: DomainReport = { domainName: 'example.test', records: [RIGHT, wrong] }
    assert.deepEqual(toReportJson(report), {
      domain: 'example.test',
      outcome: 'dns_unreachable',
      records: [
        { ...record, ...rest },
        { ...record, ...rest, diagnosis: 'no_spf', error },
      ],
    })
  })

  test('has the SPF policy if there is one, with what is known of each term', async () => {
    const spfTree = await read({
      'example.test': {
        TXT: 'v=spf1 a:gone.test include:two.test include:slow.test a:%{i}.test a:old.test -all ip4:192.0.2.1',
      },
      'two.test': { TXT: ['v=spf1 -all', 'v=spf1 ~all'] },
      'slow.test': { TXT: TIMEOUT },
      'old.test': { A: '192.0.2.2' },
    })
    const { spf } = toReportJson({ domainName: 'example.test', records: [], spfTree })
    assert.deepEqual(spf, {
      lookups: 5,
      voidLookups: spfTree.voidLookups,
      isComplete: false,
      policy: {
        domain: 'example.test',
        kind: 'record',
        text: 'v=spf1 a:gone.test include:two.test include:slow.test a:%{i}.test a:old.test -all ip4:192.0.2.1',
        problems: [],
        terms: [
          { text: 'a:gone.test', lookup: 1, target: 'gone.test', voidFor: ['ip4', 'ip6'] },
          {
            text: 'include:two.test',
            lookup: 2,
            target: 'two.test',
            policy: { domain: 'two.test', kind: 'several_records', texts: ['v=spf1 -all', 'v=spf1 ~all'], terms: [] },
          },
          {
            text: 'include:slow.test',
            lookup: 3,
            target: 'slow.test',
            policy: { domain: 'slow.test', kind: 'unreachable', reason: 'no answer in time', terms: [] },
          },
          { text: 'a:%{i}.test', lookup: 4, problem: spfTree.root.terms[3]?.problem },
          { text: 'a:old.test', lookup: 5, target: 'old.test', voidFor: ['ip6'] },
          { text: '-all' },
          { text: 'ip4:192.0.2.1', behind: '-all' },
        ],
      },
    })
  })
})

test('a policy of which nothing is published has neither text nor reason', async () => {
  const { root } = await read({})
  assert.deepEqual(toNodeJson(root), { domain: 'example.test', kind: 'no_such_name', terms: [] })
})

test('a policy is stored if it has at most 16384 characters as JSON', async () => {
  const stored = toStoredSpf(await read({ 'example.test': { TXT: 'v=spf1 -all' } }), 5)
  assert.equal(stored.checkedAtMs, 5)
  const room = 16_384 - JSON.stringify({ ...stored, lines: [''] }).length
  assert.equal(isStorable({ ...stored, lines: ['x'.repeat(room)] }), true)
  assert.equal(isStorable({ ...stored, lines: ['x'.repeat(room + 1)] }), false)
})
