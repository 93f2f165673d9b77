import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { listRequiredTerms, type SpfAttempt, suggestSpf } from './spf-suggestion.ts'

const OURS = 'include:spf.acme.test'
const WHOLE = `v=spf1 ${OURS} ~all`
const everything = async (): Promise<SpfAttempt> => ({ isRight: true })

const MERGED: readonly (readonly [found: readonly string[], suggested: string])[] = [
  [[], WHOLE],
  [['some other text'], WHOLE],
  [['v=spf1 a mx -all'], `v=spf1 a mx ${OURS} -all`],
  [['v=spf1   a   -all'], `v=spf1 a ${OURS} -all`],
  [[`v=spf1 -all ${OURS}`], `v=spf1 ${OURS} -all`],
  [[`v=spf1 ?${OURS} -all`], `v=spf1 ${OURS} -all`],
  [['v=spf1 include=spf.acme.test -all'], `v=spf1 ${OURS} -all`],
  [['v=spf1 include:SPF.acme.test. -all'], `v=spf1 ${OURS} -all`],
  [['v=spf1 redirect=x.test'], `v=spf1 ${OURS} redirect=x.test`],
  [['v=spf1 a redirect=x.test -all exp=e.test'], `v=spf1 a ${OURS} -all exp=e.test`],
  [['v=spf1 a -all', 'v=spf1 a mx -all'], `v=spf1 a mx ${OURS} -all`],
  [['v=spf1 a -all', 'v=spf1 mx ~all'], `v=spf1 a mx ${OURS} ~all`],
  [['v=spf1'], `v=spf1 ${OURS}`],
  [['v=spf1 include:a.testinclude:b.test -all'], `v=spf1 include:a.test include:b.test ${OURS} -all`],
  [[`v=spf1 ${OURS}-all`], `v=spf1 ${OURS} -all`],
  [[`v=spf1 a ${OURS}~all`], `v=spf1 a ${OURS} ~all`],
  [['v=spf1 a -all;'], `v=spf1 a ${OURS} -all`],
  [['v=spf1 include: a.test ip4:  192.0.2.1 -all'], `v=spf1 include:a.test ip4:192.0.2.1 ${OURS} -all`],
  [['v=spf1 include:https://spf.acme.test/ a -all'], `v=spf1 a ${OURS} -all`],
  [['v=spf1 ip4:192.0.2.1/ -all'], `v=spf1 ip4:192.0.2.1 ${OURS} -all`],
  [['v=spf1 a -all v=spf1 mx -all'], `v=spf1 a mx ${OURS} -all`],
  [['v=spf1 A mx a -all'], `v=spf1 a mx ${OURS} -all`],
  [
    ['v=spf1 a redirect=x.test exp=e.test', 'v=spf1 redirect=y.test exp=f.test'],
    `v=spf1 a ${OURS} redirect=x.test exp=e.test`,
  ],
  [['v=spf1 a -all exp=e.test exp=f.test'], `v=spf1 a ${OURS} -all exp=e.test`],
]

describe('the SPF record to publish', () => {
  for (const [found, suggested] of MERGED) {
    test(`${JSON.stringify(found)} becomes ${suggested}`, async () => {
      assert.equal(await suggestSpf(found, [OURS], WHOLE, everything), suggested)
    })
  }

  test('goes to the front if receivers would not reach the end', async () => {
    const attempt = async (record: string) => ({ isRight: record.startsWith(`v=spf1 ${OURS}`) })
    assert.equal(await suggestSpf(['v=spf1 a mx -all'], [OURS], WHOLE, attempt), `v=spf1 ${OURS} a mx -all`)
  })

  test('corrects or removes terms that make receivers stop', async () => {
    const faulty = ['ipv4:192.0.2.1', 'include:gone.test']
    const attempt = async (record: string) => {
      const faultyTerm = faulty.find((term) => record.includes(term))
      return faultyTerm === undefined ? { isRight: true } : { isRight: false, faultyTerm }
    }
    const found = ['v=spf1 ipv4:192.0.2.1 include:gone.test a -all']
    assert.equal(await suggestSpf(found, [OURS], WHOLE, attempt), `v=spf1 ip4:192.0.2.1 a ${OURS} -all`)
  })

  test('drops a term that consists of separators', async () => {
    const attempt = async (record: string) =>
      record.includes(' ;, ') ? { isRight: false, faultyTerm: ';,' } : { isRight: true }
    assert.equal(await suggestSpf(['v=spf1 ;, a -all'], [OURS], WHOLE, attempt), `v=spf1 a ${OURS} -all`)
  })

  test('goes to the front if a term that is not in the record makes receivers stop', async () => {
    const attempt = async (record: string) =>
      record.startsWith(`v=spf1 ${OURS}`) ? { isRight: true } : { isRight: false, faultyTerm: 'include:elsewhere.test' }
    assert.equal(await suggestSpf(['v=spf1 a mx -all'], [OURS], WHOLE, attempt), `v=spf1 ${OURS} a mx -all`)
  })

  test('is the plain one if the existing records have more than 4000 characters together', async () => {
    const record = (length: number) => `v=spf1 ${'a:'.padEnd(length - 7, 'b')}`
    const suggest = (...lengths: readonly number[]) => suggestSpf(lengths.map(record), [OURS], WHOLE, everything)
    assert.notEqual(await suggest(4000), WHOLE)
    assert.notEqual(await suggest(2000, 2000), WHOLE)
    assert.equal(await suggest(4001), WHOLE)
    assert.equal(await suggest(2000, 2001), WHOLE)
  })

  test('is the plain one if nothing helps, after a bounded number of attempts', async () => {
    let attempts = 0
    const attempt = async () => {
      attempts++
      return { isRight: false, faultyTerm: `x${attempts}` }
    }
    const found = [`v=spf1 ${Array.from({ length: 50 }, (_, index) => `x${index + 1}`).join(' ')} -all`]
    assert.equal(await suggestSpf(found, [OURS], WHOLE, attempt), WHOLE)
    assert.equal(attempts, 5)
  })

  test('the required terms are the includes and networks of our own record', () => {
    assert.deepEqual(listRequiredTerms('v=spf1 include:a.test ip4:192.0.2.0/24 ip6:2001:db8::/32 mx ~all'), [
      'include:a.test',
      'ip4:192.0.2.0/24',
      'ip6:2001:db8::/32',
    ])
  })
})
