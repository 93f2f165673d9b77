/** Which queries a policy leads to: each that its evaluation needs, once, and a limited number of them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openZone, type Zone } from '../fixtures/zone.fixture.ts'
import { surveyPolicies } from './policy-survey.ts'
import { TERMS_MAX } from './spf-limits.ts'

async function survey(policy: string, more: Zone = {}) {
  const { dns, asked } = openZone({ ...more, 'example.test': { TXT: policy } })
  const found = await surveyPolicies('example.test', dns)
  const [first, ...later] = asked
  assert.equal(first, 'TXT example.test')
  return { asked: later, ...found }
}

async function askedFor(terms: string, more: Zone = {}): Promise<readonly string[]> {
  return (await survey(`v=spf1 ${terms}`, more)).asked
}

test('each kind of term queries its own types', async () => {
  for (const [term, asked] of [
    ['a:host.test', ['A host.test', 'AAAA host.test']],
    ['a', ['A example.test', 'AAAA example.test']],
    ['exists:host.test', ['A host.test']],
    ['include:one.test', ['TXT one.test']],
    ['redirect=one.test', ['TXT one.test']],
    ['mx:host.test', ['MX host.test']],
    ['ptr', []],
    ['ip4:192.0.2.1', []],
    ['exp=why.test', []],
    ['exists:%{i}.test', []],
  ] as const) {
    assert.deepEqual(await askedFor(term), asked, term)
  }
})

test('policies and exchanges are followed, other answers are not', async () => {
  const zone: Zone = {
    'one.test': { TXT: 'v=spf1 a:two.test' },
    'two.test': { A: '10 host.test', AAAA: '10 host.test', TXT: 'v=spf1 a:three.test' },
    'mail.test': { MX: ['20 b.test', '10 a.test'] },
  }
  assert.deepEqual(await askedFor('include:one.test mx:mail.test', zone), [
    'TXT one.test',
    'MX mail.test',
    'A two.test',
    'AAAA two.test',
    'A a.test',
    'AAAA a.test',
    'A b.test',
    'AAAA b.test',
  ])
})

test('of an mx, the ten most preferred exchanges are queried', async () => {
  const exchanges = Array.from({ length: 12 }, (_, index) => `${100 - index} x${index}.test`)
  const all = await askedFor('mx:mail.test', { 'mail.test': { MX: exchanges } })
  assert.equal(all.length, 1 + 2 * 10)
  assert.ok(all.includes('A x11.test') && all.includes('A x2.test') && !all.includes('A x1.test'))
})

test('a name is queried once for each type, in any letter case and however many terms name it', async () => {
  const zone: Zone = { 'one.test': { TXT: 'v=spf1 include:example.test include:ONE.test a:HOST.test' } }
  const asked = await askedFor('include:One.test include:one.test a:host.test exists:host.test', zone)
  assert.deepEqual(asked, ['TXT one.test', 'A host.test', 'AAAA host.test'])
})

test('terms that no receiver reaches are not queried', async () => {
  for (const terms of ['-all include:one.test a', 'redirect=one.test -all', 'a:host.test ip4:300.1.1.1']) {
    assert.deepEqual(await askedFor(terms), [], terms)
  }
  assert.deepEqual(await askedFor('exists:host.test ?all mx redirect=one.test'), ['A host.test'])
})

test('a policy makes at most 250 queries', async () => {
  const all = Array.from({ length: 130 }, (_, index) => `a:${index}.test`).join(' ')
  assert.equal((await askedFor(all)).length, 249)
  const zone: Zone = {
    'one.test': { TXT: `v=spf1 ${all}` },
    'two.test': { TXT: `v=spf1 ${all.replaceAll('.test', '.other.test')}` },
  }
  assert.equal((await askedFor('include:one.test include:two.test', zone)).length, 249)
})

test('after more terms than a check reads, policies are too large, and their names are not queried', async () => {
  const terms = (count: number, kind = 'ip4:1.1.1.1') => Array.from({ length: count }, () => kind).join(' ')
  const each = 500
  const zone: Zone = Object.fromEntries(
    ['a', 'b', 'c', 'd', 'e'].map((name) => [
      `${name}.test`,
      { TXT: `v=spf1 ${terms(each - 1)} include:${name}${name}.test` },
    ]),
  )
  // With its own five terms, the first four are more than enough.
  assert.ok(4 * each + 5 > TERMS_MAX)
  const found = await survey(
    `v=spf1 ${['a', 'b', 'c', 'd', 'e'].map((name) => `include:${name}.test`).join(' ')}`,
    zone,
  )
  assert.deepEqual(
    ['a', 'd', 'e'].map((name) => found.policyOf(`${name}.test`)?.kind),
    ['record', 'record', 'too_large'],
  )
  assert.deepEqual(
    found.asked.slice(5),
    ['aa', 'bb', 'cc', 'dd'].map((name) => `TXT ${name}.test`),
  )
  // Exactly as many as are read: four times 499 and four.
  const fewer = Object.fromEntries(
    ['a', 'b', 'c', 'd'].map((name) => [`${name}.test`, { TXT: `v=spf1 ${terms(each - 1)}` }]),
  )
  const whole = await survey('v=spf1 include:a.test include:b.test include:c.test include:d.test', {
    ...fewer,
    'd.test': { TXT: `v=spf1 ${terms(each - 2)} include:e.test` },
    'e.test': { TXT: 'v=spf1 -all' },
  })
  assert.equal(whole.policyOf('e.test')?.kind, 'record')
})

test('answers and policies are found in any letter case, and undefined if nobody asked', async () => {
  const found = await survey('v=spf1 include:one.test a:host.test', {
    'host.test': { A: '192.0.2.1' },
  })
  assert.equal(found.policyOf('EXAMPLE.test')?.kind, 'record')
  assert.equal(found.policyOf('one.test')?.kind, 'no_such_name')
  assert.deepEqual(found.answerTo('HOST.test', 'A'), { kind: 'records', values: ['192.0.2.1'] })
  assert.equal(found.answerTo('host.test', 'MX'), undefined)
  assert.equal(found.policyOf('host.test'), undefined)
  const { dns, asked } = openZone({ 'example.test': { TXT: 'v=spf1 include:one.test' } })
  assert.equal((await surveyPolicies('Example.TEST', dns)).policyOf('example.test')?.kind, 'record')
  assert.deepEqual(asked, ['TXT example.test', 'TXT one.test'])
})
