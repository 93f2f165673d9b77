/**
 * Checks every folder under test/verification-cases against real name servers. To add a case, add a folder with a `zone`
 * and the first lines of an `expected`; UPDATE_CASES=1 completes `expected` with the output of the check, for review.
 */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { checkDomain } from '../../src/domains/checks/check-domain.ts'
import { judgeReport, type RecordReport } from '../../src/domains/checks/domain-report.ts'
import { DIAGNOSES } from '../../src/domains/checks/judging/diagnosis.ts'
import { abbreviate, CASES_FOLDER, listCases, type VerificationCase } from '../harness/dns/verification-case.ts'
import { openVerificationNetwork, type VerificationNetwork } from '../harness/dns/verification-network.ts'

/** Longer than in production: on a busy machine, a late answer would change the texts. */
const DEADLINE_MS = 60_000
/** The input lines of a case; the others are the expected output. */
const QUESTION_KEYS = ['check', 'domain', 'sending', 'resolver-fault']
const IS_UPDATE = process.env['UPDATE_CASES'] === '1'

const cases = listCases()

describe('verification cases', { concurrency: 4 }, () => {
  let network: VerificationNetwork

  before(async () => {
    network = await openVerificationNetwork(cases)
  })
  after(() => network[Symbol.asyncDispose]())

  for (const one of cases) {
    test(`${one.folder}: ${one.title}`, async () => {
      const said = (await check(one, network)).map((line) => network.translate(line))
      if (IS_UPDATE) update(one, said)
      else assert.deepEqual(said, listExpected(one))
    })
  }
})

test('every diagnosis has a case', () => {
  const shown = new Set(cases.flatMap(({ expected }) => expected.get('diagnosis') ?? []))
  assert.deepEqual(
    Object.keys(DIAGNOSES).filter((code) => !shown.has(code)),
    [],
  )
})

async function check(one: VerificationCase, { dns }: VerificationNetwork): Promise<readonly string[]> {
  const { domainName, records, record, sendingEmail } = one
  const request = { domainName, records, ...(sendingEmail !== undefined && { sendingEmail }) }
  const report = await checkDomain(request, dns, { deadlineMs: DEADLINE_MS })
  const about = report.records[records.indexOf(record)]
  assert.ok(about)
  const outcome = judgeReport({ ...report, records: [{ ...about, record: { ...about.record, required: true } }] })
  return [`outcome: ${outcome}`, ...describeReport(about)]
}

function describeReport({ record, diagnosis, error, warnings, cautions }: RecordReport): readonly string[] {
  const problem = error && [
    `diagnosis: ${diagnosis}`,
    `type: ${error.type}`,
    `error: ${error.error}`,
    ...error.required.map((value) => `required: ${value}`),
  ]
  return [
    ...(problem ?? []),
    ...record.actual.map((value) => `actual: ${value}`),
    ...cautions.map(({ diagnosis: code }) => `caution: ${code}`),
    ...warnings.map((warning) => `warning: ${warning}`),
  ]
}

function listExpected({ expected }: VerificationCase): readonly string[] {
  return [...expected]
    .filter(([key]) => !QUESTION_KEYS.includes(key))
    .flatMap(([key, values]) => values.map((value) => `${key}: ${value}`))
}

function update({ folder, apex }: VerificationCase, said: readonly string[]): void {
  const file = join(CASES_FOLDER, folder, 'expected')
  const [title = '', ...lines] = readFileSync(file, 'utf8').split('\n')
  const asked = lines.filter((line) => QUESTION_KEYS.some((key) => line.startsWith(`${key}: `)))
  writeFileSync(file, `${[title, ...asked, ...said.map((line) => abbreviate(line, apex))].join('\n')}\n`)
}
