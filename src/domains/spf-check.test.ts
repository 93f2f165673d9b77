import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import { requiredRecords } from './required-records.ts'
import { checkSpf } from './spf-check.ts'

const HOST = '_spf.envelog.test'
const [, RECORD] = requiredRecords('example.com', { selector: 's1', publicKey: 'a2V5' }, { spfInclude: HOST })
assert.ok(RECORD)
const record = RECORD
assert.equal(record.value, `v=spf1 include:${HOST} ~all`)

const see = (...values: string[]) => checkSpf(record, { kind: 'records', values })

const VALID: readonly (readonly string[])[] = [
  [record.value],
  [`v=spf1 include:${HOST} -all`],
  [`v=spf1 +include:${HOST}`],
  [`V=SPF1 INCLUDE:${HOST.toUpperCase()} ~ALL`],
  [`v=spf1  ip4:192.0.2.1  include:other.test   include:${HOST}.   ~all  `],
  [`v=spf1 include:${HOST} redirect=_spf.other.test`],
  [`v=spf1 -include:${HOST} include:${HOST} ~all`],
  ['google-site-verification=abc', record.value, 'v=spf10 -all', 'v=spf1;x', 'spf2.0/pra -all', ''],
]

/** What is there, what to say, and the record to publish instead. */
const INVALID: readonly (readonly [values: readonly string[], why: RegExp, required: string])[] = [
  [['v=spf1 ~all'], /does not hold include/, `v=spf1 include:${HOST} ~all`],
  [['v=spf1'], /does not hold include/, `v=spf1 include:${HOST}`],
  [['v=spf1 mx a ip4:192.0.2.0/24 -all'], /does not hold include/, `v=spf1 mx a ip4:192.0.2.0/24 include:${HOST} -all`],
  [['v=spf1 include:other.test ?all'], /does not hold include/, `v=spf1 include:other.test include:${HOST} ?all`],
  [[`v=spf1 include:x${HOST} ~all`], /does not hold include/, `v=spf1 include:x${HOST} include:${HOST} ~all`],
  [[`v=spf1 include:${HOST}.evil.test ~all`], /does not/, `v=spf1 include:${HOST}.evil.test include:${HOST} ~all`],
  [[`v=spf1 a:${HOST} exists:${HOST} ~all`], /does not/, `v=spf1 a:${HOST} exists:${HOST} include:${HOST} ~all`],
  [['v=spf1 mx redirect=other.test'], /does not/, `v=spf1 mx include:${HOST} redirect=other.test`],
  [['v=spf1 all:x exp=e.test'], /does not/, `v=spf1 all:x include:${HOST} exp=e.test`],
  [[`v=spf1 mx ~all include:${HOST}`], /behind "all"/, `v=spf1 mx include:${HOST} ~all`],
  [[`v=spf1 +all include:${HOST} ~all`], /behind "all"/, `v=spf1 include:${HOST} +all ~all`],
  [[`v=spf1 ~include:${HOST} -all`], /says ~include.*does not let/, `v=spf1 include:${HOST} -all`],
  [[`v=spf1 -include:${HOST} -all`], /says -include.*does not let/, `v=spf1 include:${HOST} -all`],
  [[`v=spf1 ?include:${HOST} -all`], /says \?include.*does not let/, `v=spf1 include:${HOST} -all`],
  [['unrelated'], /None of the TXT records at example\.com is an SPF record/, record.value],
  [[`v=spf10 include:${HOST} ~all`], /None of the TXT records/, record.value],
  [[` v=spf1 include:${HOST} ~all`], /None of the TXT records/, record.value],
  [[`v=spf1\tinclude:${HOST} ~all`], /None of the TXT records/, record.value],
  [[`"v=spf1 include:${HOST} ~all"`], /None of the TXT records/, record.value],
]

describe('SPF check', () => {
  for (const values of VALID) {
    test(`the include takes effect in ${JSON.stringify(values)}`, () => {
      assert.deepEqual(see(...values), { status: 'valid', actual: values })
    })
  }

  for (const [values, why, required] of INVALID) {
    test(`${JSON.stringify(values)} is invalid: ${why.source}`, () => {
      const { status, actual, error } = see(...values)
      assert.equal(status, 'invalid')
      assert.deepEqual(actual, values)
      assert.equal(error?.type, 'TXT')
      assert.match(error.error, why)
      assert.ok(error.error.includes('example.com'), 'does not say where')
      assert.match(error.error, /Add|Move|Write|Replace/, 'does not say what to do')
      assert.deepEqual(error.required, [required])
      assert.deepEqual(error.actual, values)
    })
  }

  test('two SPF records are invalid even if one is right, other TXT records not counted', () => {
    const { status, error } = see(record.value, 'unrelated', 'V=SPF1 -all')
    assert.equal(status, 'invalid')
    assert.match(error?.error ?? '', /2 SPF records at example\.com.*Merge them/)
  })

  test('a missing name, a name without TXT and unreachable DNS have their own words', () => {
    assert.match(checkSpf(record, { kind: 'no_such_name' }).error?.error ?? '', /example\.com does not exist/)
    assert.match(checkSpf(record, { kind: 'no_such_type' }).error?.error ?? '', /has no TXT record/)
    const unknown = checkSpf(record, { kind: 'unreachable', reason: 'SERVFAIL' })
    assert.equal(unknown.status, 'unknown')
    assert.equal(unknown.error?.type, 'SYSTEM')
  })

  test('whatever SPF record is there, publishing the one we ask for makes the check pass', () => {
    const term = fc.oneof(
      fc.constantFrom('mx', '-all', '~all', 'all', '?all', 'redirect=x.test', 'exp=x.test', `include:${HOST}`, ''),
      fc.constantFrom(`-include:${HOST}`, `INCLUDE:${HOST}.`, 'include:other.test', 'include:', 'ip4:192.0.2.1'),
      fc.string({ unit: 'binary', maxLength: 8 }),
    )
    fc.assert(
      fc.property(fc.array(term, { maxLength: 8 }), (terms) => {
        const { status, error } = see(['v=spf1', ...terms].join(' '))
        if (status === 'valid') return
        assert.equal(see(...(error?.required ?? [])).status, 'valid', JSON.stringify(error))
      }),
      { numRuns: 2000 },
    )
  })
})
