import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { RecordReport } from '../../domains/checks/domain-report.ts'
import { type ReportJson, toReportJson } from '../../domains/checks/report-json.ts'
import type { DnsEvidence } from '../../domains/dns-resolver.ts'
import type { RequiredDnsRecord } from '../../domains/domain.ts'
import type { Paint } from './paint.ts'
import { describeReport } from './report-text.ts'

const plain: Paint = (_style, text) => text
const marked: Paint = (style, text) => `<${style}>${text}</${style}>`

const EVIDENCE: DnsEvidence = {
  name: 'example.com',
  type: 'TXT',
  answer: { kind: 'no_such_type', aliases: [] },
  source: 'authoritative',
  steps: [
    {
      name: 'example.com',
      zone: 'example.com',
      servers: [
        { server: 'ns1.example.com', statement: { kind: 'no_such_type', aliases: [] } },
        {
          server: 'ns2.example.com',
          statement: { kind: 'unreachable', failure: 'silent', reason: 'silence', aliases: [] },
        },
      ],
      agreeing: 1,
      answered: 1,
    },
  ],
  isUnanimous: true,
  resolvers: [{ address: '192.0.2.1', answer: { kind: 'no_such_name', aliases: [] }, isStale: true }],
}

function reportOf(record: Partial<RequiredDnsRecord>, text?: string, warnings: readonly string[] = []): RecordReport {
  const whole: RequiredDnsRecord = {
    type: 'TXT',
    name: 'example.com',
    value: 'expected value',
    purpose: 'SPF',
    required: true,
    status: text === undefined ? 'valid' : 'invalid',
    actual: [],
    ...record,
  }
  const common = { record: whole, warnings, cautions: [], evidence: [EVIDENCE] }
  if (text === undefined) return common
  const error = { type: 'TXT', error: text, required: [whole.value], actual: whole.actual } as const
  return { ...common, diagnosis: 'no_such_type', error }
}

function toJson(records: readonly RecordReport[]): ReportJson {
  return toReportJson({ domainName: 'example.com', records })
}

function describeRecords(records: readonly RecordReport[], paint: Paint = plain): string {
  return describeReport(toJson(records), paint)
}

describe('the report of a check', () => {
  test('shows for each record the expected value, the value found and the servers that were queried', () => {
    const text = describeRecords([reportOf({}, 'Add it.')])
    assert.match(text, /^ {4}expected {2}expected value$/m)
    assert.match(text, /^ {4}found {5}\(nothing\)$/m)
    assert.match(
      text,
      /^ {4}queried {3}ns1\.example\.com \(none\), ns2\.example\.com \(silent\), resolver 192\.0\.2\.1 \(older\)$/m,
    )
  })

  test('lists required changes before recommended ones', () => {
    const text = describeRecords([
      reportOf({ purpose: 'DMARC', required: false }, 'Nice to have.'),
      reportOf({ purpose: 'DKIM' }, 'Must be.'),
    ])
    assert.match(text, /What to do\n {2}1\. DKIM: Must be\.\n {2}2\. DMARC \(recommended\): Nice to have\.$/)
    assert.match(describeRecords([reportOf({ required: false }, 'Nice.')]), /\nRecommended\n {2}1\./)
  })

  test('gives the same advice for several records only once', () => {
    const text = describeRecords([
      reportOf({ purpose: 'DMARC', required: false }, 'No such domain.'),
      reportOf({ purpose: 'DKIM' }, 'No such domain.'),
      reportOf({ purpose: 'SPF' }, 'Another thing.'),
    ])
    assert.match(text, /What to do\n {2}1\. DKIM, DMARC: No such domain\.\n {2}2\. SPF: Another thing\.$/)
  })

  test('distinguishes a missing answer from an empty one', () => {
    assert.match(describeRecords([reportOf({ status: 'unknown' }, 'x')]), /^ {4}found {5}\(no answer\)$/m)
  })

  test('shows no expected value if any value is accepted, unless it is a correction', () => {
    const describeAny = (report: RecordReport) => describeReport(toJson([report]), plain, { anyValue: ['SPF'] })
    const wrong = reportOf({ actual: ['v=spf1 inclde:a.example -all'] }, 'Correct it.')
    assert.doesNotMatch(describeAny(wrong), /expected|differs/)
    assert.match(describeAny(wrong), /^ {4}found {5}v=spf1 inclde/m)
    const error = { type: 'TXT', error: 'Correct it.', required: ['v=spf1 -all'], actual: [] } as const
    assert.match(describeAny({ ...wrong, error }), /expected {2}v=spf1 -all/)
  })

  test('has signs that can be distinguished without colours', () => {
    const text = describeRecords([
      reportOf({ purpose: 'DKIM' }),
      reportOf({ purpose: 'SPF' }, 'x'),
      reportOf({ purpose: 'DMARC', required: false }, 'x'),
      reportOf({ purpose: 'MX', status: 'unknown' }, 'x'),
    ])
    const signs = text
      .split('\n')
      .slice(1, 5)
      .map((line) => line.slice(0, 6).trim())
    assert.deepEqual(signs, ['✓ DKIM', '✗ SPF', '! DMAR', '? MX'])
  })

  test('shows a warning once, however many records have it', () => {
    const text = describeRecords([reportOf({}, undefined, ['Look.']), reportOf({}, undefined, ['Look.', 'And there.'])])
    assert.equal(text.match(/Look\./g)?.length, 1)
    assert.match(text, /Warnings\n {2}! Look\.\n {2}! And there\.\n/)
    assert.match(text, /All records are correct\.$/)
  })

  test('offers a value of more than 255 characters as strings too', () => {
    const value = 'x'.repeat(300)
    const text = describeRecords([reportOf({ value }, 'Too short.')])
    assert.ok(text.includes(`"${'x'.repeat(255)}" "${'x'.repeat(45)}"`))
    assert.ok(!describeRecords([reportOf({ value })]).includes('strings'))
  })

  test('shows published text without letting it control the terminal', () => {
    const text = describeRecords([reportOf({ actual: ['\u001b[2J'] }, 'holds \u001b[2J', ['beep \u0007'])], marked)
    assert.ok(!/\p{Cc}/u.test(text.replaceAll('\n', '')))
  })
})
