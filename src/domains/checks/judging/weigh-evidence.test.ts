import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { DnsAnswer, DnsEvidence, DnsServerStatement, DnsStatement } from '../../dns-resolver.ts'
import { rightRecord, type Verdict, wrongRecord } from './verdict.ts'
import { weighEvidence } from './weigh-evidence.ts'

const NAME = 'name.example.com'
const NONE: DnsAnswer<'TXT'> = { kind: 'no_such_name', aliases: [], negativeTtlSeconds: 900 }
const SILENT: DnsAnswer<'TXT'> = { kind: 'unreachable', failure: 'silent', reason: 'ns9 is silent', aliases: [] }

function records(text: string): Extract<DnsAnswer<'TXT'>, { readonly kind: 'records' }> {
  return { kind: 'records', records: [{ text, strings: [text] }], values: [text], ttlSeconds: 600, aliases: [] }
}

/** Only the value `good` is correct. */
function judge(answer: DnsAnswer<'TXT'>): Verdict {
  if (answer.kind === 'records') {
    return answer.values.includes('good') ? rightRecord(answer.values) : wrongRecord(answer.values, 'wrong_value', 'no')
  }
  if (answer.kind === 'no_such_name') return wrongRecord([], 'no_such_name', 'nothing there')
  return { status: 'unknown', actual: [], problem: { diagnosis: 'no_answer', text: 'unknown' }, warnings: [] }
}

/** The first statement is the one that most servers make. */
function authoritative(...statements: readonly DnsStatement<'TXT'>[]): DnsEvidence<'TXT'> {
  const servers: readonly DnsServerStatement<'TXT'>[] = statements.map((statement, index) => ({
    server: `ns${index + 1}`,
    statement,
  }))
  const said = statements.filter(({ kind }) => kind !== 'unreachable')
  const agreeing = said.filter((statement) => JSON.stringify(statement) === JSON.stringify(said[0])).length
  const [first] = said
  return {
    name: NAME,
    type: 'TXT',
    answer: first && first.kind !== 'alias' ? first : SILENT,
    source: 'authoritative',
    steps: [{ name: NAME, zone: 'example.com', servers, agreeing, answered: said.length }],
    isUnanimous: agreeing === said.length,
    resolvers: [],
  }
}

function throughResolvers(...answers: readonly DnsAnswer<'TXT'>[]): DnsEvidence<'TXT'> {
  const resolvers = answers.map((answer, index) => ({ address: `192.0.2.${index + 1}`, answer, isStale: false }))
  const steps = [{ name: NAME, servers: [], agreeing: 0, answered: 0 }]
  const answer = answers.find(({ kind }) => kind !== 'unreachable') ?? SILENT
  return { name: NAME, type: 'TXT', answer, source: 'resolver', steps, isUnanimous: true, resolvers }
}

describe("the zone's own servers", () => {
  test('all of them correct: correct', async () => {
    assert.deepEqual(await weighEvidence(authoritative(records('good'), records('good')), judge), rightRecord(['good']))
  })

  test('one without the record makes it wrong, and is named', async () => {
    const { status, problem, actual } = await weighEvidence(
      authoritative(records('good'), records('good'), NONE),
      judge,
    )
    assert.equal(status, 'invalid')
    assert.equal(problem?.diagnosis, 'servers_disagree')
    assert.match(problem.text, /Only 2 of 3 name servers of example\.com .* ns1 and ns2 have it, ns3 does not/)
    assert.deepEqual(actual, ['good'])
  })

  test('only one with the record does not make it correct, and is named', async () => {
    const { problem } = await weighEvidence(authoritative(NONE, NONE, records('good')), judge)
    assert.match(problem?.text ?? '', /Only 1 of 3 .* ns3 has it, ns1 and ns2 do not/)
  })

  test('a different value on one of them is distinguished from none', async () => {
    const alias: DnsStatement<'TXT'> = { kind: 'alias', target: 'elsewhere.test', ttlSeconds: 60 }
    const { problem } = await weighEvidence(authoritative(records('good'), records('old'), NONE, alias), judge)
    assert.match(problem?.text ?? '', /ns1 has it, ns3 does not and ns2 and ns4 have a different one/)
  })

  test('different values that are all correct are correct', async () => {
    const both: DnsStatement<'TXT'> = { ...records('good'), values: ['good', 'more'] }
    assert.equal((await weighEvidence(authoritative(records('good'), both), judge)).status, 'valid')
  })

  test('different values that are all wrong: the majority decides', async () => {
    const { problem } = await weighEvidence(authoritative(NONE, NONE, records('old')), judge)
    assert.equal(problem?.diagnosis, 'no_such_name')
  })

  test('one that cannot be queried is a warning, whatever the others say', async () => {
    const right = await weighEvidence(authoritative(records('good'), SILENT), judge)
    assert.equal(right.status, 'valid')
    assert.deepEqual(right.warnings, ['One of 2 name servers could not be queried: ns9 is silent.'])
    const wrong = await weighEvidence(authoritative(NONE, SILENT), judge)
    assert.equal(wrong.status, 'invalid')
    assert.equal(wrong.warnings.length, 1)
  })

  test('a resolver that caches another answer is a warning with the remaining seconds', async () => {
    const evidence: DnsEvidence<'TXT'> = {
      ...authoritative(records('good')),
      resolvers: [{ address: '192.0.2.9', answer: NONE, isStale: true, staleSeconds: 1740 }],
    }
    const { status, warnings } = await weighEvidence(evidence, judge)
    assert.equal(status, 'valid')
    assert.match(
      warnings.join(),
      /Your DNS has the correct record, but our resolver 192\.0\.2\.9 still caches the absence of the record.* 1740 seconds \(29 minutes\)/,
    )
  })

  test('a wrong record is not called correct because a resolver caches another one', async () => {
    const resolvers = [{ address: '192.0.2.9', answer: records('old'), isStale: true }]
    const wrong = await weighEvidence({ ...authoritative(records('bad')), resolvers }, judge)
    assert.equal(wrong.status, 'invalid')
    assert.match(
      wrong.warnings.join(),
      /^Your DNS has the record, but our resolver 192\.0\.2\.9 still caches an older value;/,
    )
    const absent = await weighEvidence({ ...authoritative(NONE), resolvers }, judge)
    assert.match(absent.warnings.join(), /^Your DNS has no such record, but our resolver/)
  })
})

describe('resolvers alone', () => {
  test('one that has the record outweighs one that caches its absence', async () => {
    for (const evidence of [throughResolvers(records('good'), NONE), throughResolvers(NONE, records('good'))]) {
      const { status, actual, warnings } = await weighEvidence(evidence, judge)
      assert.equal(status, 'valid')
      assert.deepEqual(actual, ['good'])
      assert.match(
        warnings.join(),
        /will see it only when its cached answer expires, within 900 seconds \(15 minutes\)/,
      )
    }
  })

  test('one that has a different value makes it wrong', async () => {
    const { status, problem } = await weighEvidence(throughResolvers(records('good'), records('old')), judge)
    assert.equal(status, 'invalid')
    assert.equal(problem?.diagnosis, 'servers_disagree')
    assert.match(
      problem.text,
      /192\.0\.2\.1 has the correct record, our resolver 192\.0\.2\.2 has a different one.*600 seconds/,
    )
  })

  test('if none of them answers, the record is unknown', async () => {
    assert.equal((await weighEvidence(throughResolvers(SILENT, SILENT), judge)).status, 'unknown')
  })
})

describe('aliases on the way to the record', () => {
  const TARGET = 'target.example.net'
  const toTarget: DnsStatement<'TXT'> = { kind: 'alias', target: TARGET, ttlSeconds: 60 }
  /** Two steps, each with what its servers say; the first statement of each is the one that was used. */
  function through(first: readonly DnsStatement<'TXT'>[], second: readonly DnsStatement<'TXT'>[]) {
    const [alias, end] = [authoritative(...first), authoritative(...second)]
    const steps = [...alias.steps, ...end.steps.map((step) => ({ ...step, name: TARGET, zone: 'example.net' }))]
    return { ...end, steps }
  }

  test('all servers have the alias, and those of its target disagree', async () => {
    const { problem } = await weighEvidence(through([toTarget, toTarget], [records('good'), NONE]), judge)
    assert.match(problem?.text ?? '', /^Only 1 of 2 name servers of example\.net has .* ns1 has it, ns2 does not/)
  })

  test('one server has the alias, and another one has nothing', async () => {
    const { problem } = await weighEvidence(through([toTarget, NONE], [records('good')]), judge)
    assert.match(problem?.text ?? '', /^Only 1 of 2 name servers of example\.com has .* ns1 has it, ns2 does not/)
    const wrong = await weighEvidence(through([toTarget, NONE], [records('old')]), judge)
    assert.equal(wrong.problem?.diagnosis, 'wrong_value')
  })
})

test('servers that could not be queried have no opinion', async () => {
  const { problem } = await weighEvidence(authoritative(records('good'), NONE, SILENT), judge)
  assert.match(problem?.text ?? '', /^Only 1 of 2 name servers/)
  assert.deepEqual(await weighEvidence(throughResolvers(records('good'), SILENT), judge), rightRecord(['good']))
})

test('what is unknown stays so, without warnings about others', async () => {
  const stale = { address: '192.0.2.1', answer: records('old'), isStale: true }
  const evidence = { ...authoritative(SILENT), answer: SILENT, resolvers: [stale] }
  assert.deepEqual(await weighEvidence(evidence, judge), judge(SILENT))
  const resolved = { ...throughResolvers(records('good'), NONE), answer: SILENT }
  assert.deepEqual(await weighEvidence(resolved, judge), judge(SILENT))
})

test('resolvers disagree if one of them has another record, even if others have none', async () => {
  const { problem } = await weighEvidence(throughResolvers(records('good'), NONE, records('old')), judge)
  assert.equal(problem?.diagnosis, 'servers_disagree')
})

test('without a known time, a cached answer just expires', async () => {
  const forever: DnsAnswer<'TXT'> = { kind: 'no_such_name', aliases: [] }
  const { warnings } = await weighEvidence(throughResolvers(records('good'), forever), judge)
  assert.match(warnings[0] ?? '', /only when its cached answer expires\.$/)
})

test('a resolver that has the answer of the zone is not mentioned', async () => {
  const fresh = { address: '192.0.2.1', answer: records('good'), isStale: false }
  const evidence = { ...authoritative(records('good')), resolvers: [fresh] }
  assert.deepEqual(await weighEvidence(evidence, judge), rightRecord(['good']))
})
