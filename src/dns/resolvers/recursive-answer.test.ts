/** What the messages of a resolver say about a name, and which name is queried next. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Message, RCODE, type Resource } from '../wire/message.ts'
import { resolveRecursively } from './recursive-answer.ts'

const NOTHING: Message = {
  id: 1,
  isResponse: true,
  isAuthoritative: false,
  isTruncated: false,
  rcode: RCODE.NOERROR,
  answers: [],
  authorities: [],
  additionals: [],
  extendedErrors: [],
}

function alias(name: string, target: string, ttlSeconds = 300): Resource {
  return { name, type: 'CNAME', ttlSeconds, data: { target } }
}

function text(name: string, value: string, ttlSeconds = 600): Resource {
  return { name, type: 'TXT', ttlSeconds, data: { text: value, strings: [value] } }
}

const SOA: Resource = {
  name: 'test',
  type: 'SOA',
  ttlSeconds: 900,
  data: { primary: 'ns.test', mailbox: 'x.test', serial: 1, minimumSeconds: 60 },
}
const NS: Resource = { name: 'test', type: 'NS', ttlSeconds: 900, data: { target: 'ns.test' } }

/** The answer for `a.test`, and the names that were queried. */
async function resolve(replies: Readonly<Record<string, Partial<Message>>>) {
  const asked: string[] = []
  const answer = await resolveRecursively(
    async (name) => {
      asked.push(name)
      const reply = replies[name]
      if (reply) return { kind: 'message', message: { ...NOTHING, ...reply } }
      return { kind: 'unreachable', failure: 'silent', reason: 'it does not answer', aliases: [] }
    },
    'a.test',
    'TXT',
    new AbortController().signal,
  )
  return { answer, asked }
}

const FIRST = { name: 'a.test', target: 'b.test', ttlSeconds: 300 }

test('records are those of the last alias, and expire with the first of all', async () => {
  const direct = await resolve({ 'a.test': { answers: [text('a.test', 'x'), text('b.test', 'y')] } })
  assert.ok(direct.answer.kind === 'records')
  assert.deepEqual([direct.answer.values, direct.answer.ttlSeconds, direct.answer.aliases], [['x'], 600, []])
  const { answer, asked } = await resolve({ 'a.test': { answers: [text('b.test', 'y'), alias('a.test', 'b.test')] } })
  assert.ok(answer.kind === 'records')
  assert.deepEqual([answer.values, answer.ttlSeconds, answer.aliases], [['y'], 300, [FIRST]])
  assert.deepEqual(asked, ['a.test'])
})

test('a target that is not in the message is queried, unless the message says that it has nothing', async () => {
  const answers = [alias('a.test', 'b.test')]
  const next = await resolve({ 'a.test': { answers }, 'b.test': { answers: [text('b.test', 'y')] } })
  assert.deepEqual(next.asked, ['a.test', 'b.test'])
  assert.ok(next.answer.kind === 'records')
  assert.deepEqual(next.answer.aliases, [FIRST])
  const failed = await resolve({ 'a.test': { answers } })
  assert.deepEqual(failed.answer, {
    kind: 'unreachable',
    failure: 'silent',
    reason: 'it does not answer',
    aliases: [FIRST],
  })
  const empty = await resolve({ 'a.test': { answers, authorities: [NS, SOA] } })
  assert.deepEqual(empty, {
    answer: { kind: 'no_such_type', aliases: [FIRST], negativeTtlSeconds: 60 },
    asked: ['a.test'],
  })
  const missing = await resolve({ 'a.test': { answers, rcode: RCODE.NXDOMAIN } })
  assert.deepEqual(missing, { answer: { kind: 'no_such_name', aliases: [FIRST] }, asked: ['a.test'] })
})

test('a target that cannot be queried does not exist', async () => {
  const { answer, asked } = await resolve({ 'a.test': { answers: [alias('a.test', 'b..test')] } })
  assert.equal(answer.kind, 'no_such_name')
  assert.deepEqual(asked, ['a.test'])
})

test('absence is that of the name or of the type, with the time that it may be remembered', async () => {
  for (const [reply, expected] of [
    [
      { rcode: RCODE.NXDOMAIN, authorities: [SOA] },
      { kind: 'no_such_name', aliases: [], negativeTtlSeconds: 60 },
    ],
    [{ rcode: RCODE.NXDOMAIN }, { kind: 'no_such_name', aliases: [] }],
    [{ authorities: [SOA] }, { kind: 'no_such_type', aliases: [], negativeTtlSeconds: 60 }],
    [{}, { kind: 'no_such_type', aliases: [] }],
    [
      { isAuthoritative: true, authorities: [NS] },
      { kind: 'no_such_type', aliases: [] },
    ],
    [{ authorities: [NS, SOA] }, { kind: 'no_such_type', aliases: [], negativeTtlSeconds: 60 }],
  ] as const) {
    assert.deepEqual((await resolve({ 'a.test': reply })).answer, expected)
  }
})

test('a referral is not an answer', async () => {
  const { answer } = await resolve({ 'a.test': { authorities: [NS] } })
  assert.ok(answer.kind === 'unreachable')
  assert.equal(answer.failure, 'refused')
})

test('a loop of aliases ends, in one message or in several', async () => {
  const one = await resolve({ 'a.test': { answers: [alias('a.test', 'b.test'), alias('b.test', 'a.test')] } })
  assert.equal(one.answer.kind, 'alias_loop')
  assert.equal(one.answer.aliases.length, 2)
  const two = await resolve({
    'a.test': { answers: [alias('a.test', 'b.test')] },
    'b.test': { answers: [alias('b.test', 'a.test')] },
  })
  assert.deepEqual([two.answer.kind, two.asked], ['alias_loop', ['a.test', 'b.test']])
})
