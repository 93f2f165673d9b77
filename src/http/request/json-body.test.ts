import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import { AppError } from '../../lib/app-error.ts'
import { flag, integer, list, object, oneOf, optional, text, textOrNull } from '../../lib/json-schema.ts'
import { SERVER_LIMITS } from '../server/server-limits.ts'
import { parseJsonBody, readSmallBodies } from './json-body.ts'

const Body = object({
  name: text('A name.', { minLength: 1, maxLength: 5, pattern: '^[a-z🎉]*$' }),
  active: optional(flag()),
  kind: optional(oneOf(['rsa', 'ed25519'])),
  scopes: optional(list(text('A scope.', { minLength: 2 }), 'Scopes.', { maxItems: 2 })),
  note: optional(textOrNull('A note.')),
  'a/b': optional(object({ size: integer('A size.', { minimum: 1 }) })),
})

const parse = (body: unknown) =>
  parseJsonBody(Body, Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)))

async function refusalOf(body: unknown): Promise<string> {
  try {
    await parse(body)
  } catch (error) {
    assert.ok(error instanceof AppError && error.code === 'invalid_payload')
    return error.message
  }
  return 'accepted'
}

describe('a JSON body', () => {
  test('that fits its schema is returned as it was sent', async () => {
    const whole = { name: 'abc', active: false, kind: 'rsa', scopes: ['ab'], note: null, 'a/b': { size: 1 } }
    assert.deepEqual(await parse(whole), whole)
    assert.deepEqual(await parse({ name: 'a' }), { name: 'a' })
  })

  test('is checked by every keyword of its schema, even inside lists and objects', async () => {
    for (const [body, message] of [
      [{}, 'Invalid "name": it is required.'],
      [{ name: '' }, 'Invalid "name": it must not be empty.'],
      [{ name: 'abcdef' }, 'Invalid "name": it must not have more than 5 characters, but is "abcdef".'],
      [{ name: 'AB' }, 'Invalid "name": it must match pattern "^[a-z🎉]*$", but is "AB".'],
      [{ name: 5 }, 'Invalid "name": it must be a string, but is 5.'],
      [{ name: null }, 'Invalid "name": it must be a string, but is null.'],
      [{ name: 'a', active: 'yes' }, 'Invalid "active": it must be true or false, but is "yes".'],
      [{ name: 'a', kind: 'dsa' }, 'Invalid "kind": it must be one of rsa, ed25519, but is "dsa".'],
      [{ name: 'a', scopes: 'ab' }, 'Invalid "scopes": it must be a list, but is "ab".'],
      [{ name: 'a', scopes: ['ab', 5] }, 'Invalid "scopes.1": it must be a string, but is 5.'],
      [{ name: 'a', scopes: ['b'] }, 'Invalid "scopes.0": it must not have fewer than 2 characters, but is "b".'],
      [{ name: 'a', scopes: ['ab', 'ab', 'ab'] }, 'Invalid "scopes": it must not have more than 2 items.'],
      [{ name: 'a', note: 5 }, 'Invalid "note": it must be a string or null, but is 5.'],
      [{ name: 'a', 'a/b': [] }, 'Invalid "a/b": it must be an object.'],
      [{ name: 'a', 'a/b': {} }, 'Invalid "a/b.size": it is required.'],
      [{ name: 'a', 'a/b': { size: 1.5 } }, 'Invalid "a/b.size": it must be an integer, but is 1.5.'],
      [{ name: 'a', 'a/b': { size: 0 } }, 'Invalid "a/b.size": it must be >= 1, but is 0.'],
    ] as const) {
      assert.equal(await refusalOf(body), message)
    }
  })

  test('counts characters, not UTF-16 units', async () => {
    assert.equal(await refusalOf({ name: '🎉🎉🎉🎉🎉' }), 'accepted')
  })

  test("with an unknown field is refused before anything else, whatever the field's name", async () => {
    const known = 'known: name, active, kind, scopes, note, a/b'
    assert.equal(await refusalOf({ more: 1 }), `Invalid "more": unknown field; ${known}.`)
    assert.equal(await refusalOf('{"name":"a","__proto__":1}'), `Invalid "__proto__": unknown field; ${known}.`)
    assert.match(await refusalOf({ name: 'a', ['x'.repeat(1000)]: 1 }), /^Invalid "x{60}…": unknown field/)
  })

  test('with an unknown field within an object that is closed is refused, without the names of the body itself', async () => {
    const Outer = object({ inner: object({ one: text('One.') }, 'Inner.', { additionalProperties: false }) })
    const body = Buffer.from('{"inner":{"one":"a","other":1}}')
    await assert.rejects(parseJsonBody(Outer, body), { message: 'Invalid "inner.other": unknown field.' })
  })

  test('with a lone surrogate anywhere is refused', async () => {
    assert.equal(await refusalOf('{"name":"a","note":"\\ud800"}'), 'Invalid "note": it contains an unpaired surrogate.')
    assert.equal(
      await refusalOf('{"name":"a","scopes":["ab","\\udfff\\ud800"]}'),
      'Invalid "scopes.1": it contains an unpaired surrogate.',
    )
  })

  test('does not have long values repeated in a refusal', async () => {
    assert.equal(
      await refusalOf({ name: 'a'.repeat(1000) }),
      'Invalid "name": it must not have more than 5 characters.',
    )
    // With the quotes.
    const longest = 'a'.repeat(58)
    assert.match(await refusalOf({ name: longest }), new RegExp(`, but is "${longest}"`))
    assert.doesNotMatch(await refusalOf({ name: `${longest}a` }), /but is/)
  })

  test('of which several fields are missing is refused for the first', async () => {
    const Two = object({ one: text('One.'), two: text('Two.') })
    await assert.rejects(parseJsonBody(Two, Buffer.from('{}')), { message: 'Invalid "one": it is required.' })
  })

  test('that is not a JSON object is refused', async () => {
    for (const body of ['', '{', '[]', 'null', '"a"', '5'])
      assert.match(await refusalOf(body), /must be (?:JSON|a JSON object)/)
  })

  test('that is not UTF-8 is refused', async () => {
    const bytes = Buffer.concat([Buffer.from('{"name":"a","note":"'), Buffer.from([0xff]), Buffer.from('"}')])
    await assert.rejects(parseJsonBody(Body, bytes), { code: 'invalid_payload' })
  })
})

describe('a route', () => {
  const { publicBodyBytes, smallBodyBytes } = SERVER_LIMITS

  async function openRoutes(): Promise<FastifyInstance> {
    const app = fastify()
    app.setValidatorCompiler(() => () => true)
    app.removeAllContentTypeParsers()
    readSmallBodies(app)
    const lengthOf = async ({ body }: FastifyRequest) => ({ length: (body as Buffer | undefined)?.length ?? null })
    app.setErrorHandler((error: AppError, _request, reply) => reply.code(400).send(error.code))
    app.post('/none', lengthOf)
    app.post('/keyed', { schema: { body: Body }, config: { access: 'key' } }, lengthOf)
    app.post('/public', { schema: { body: Body }, config: { access: 'public' } }, lengthOf)
    await app.ready()
    return app
  }

  test('that declares a body gets its bytes up to a limit, which is lower if anybody may call it', async () => {
    const app = await openRoutes()
    const send = async (url: string, bytes: number) =>
      (await app.inject({ method: 'POST', url, payload: Buffer.alloc(bytes), headers: { 'content-type': 'x/y' } })).body
    assert.equal(await send('/public', publicBodyBytes), `{"length":${publicBodyBytes}}`)
    assert.equal(await send('/public', publicBodyBytes + 1), 'payload_too_large')
    assert.equal(await send('/keyed', smallBodyBytes), `{"length":${smallBodyBytes}}`)
    assert.equal(await send('/keyed', smallBodyBytes + 1), 'payload_too_large')
  })

  test('that declares none gets nothing, whatever is sent', async () => {
    const app = await openRoutes()
    const headers = { 'content-type': 'x/y', 'content-encoding': 'unknown' }
    const answer = await app.inject({
      method: 'POST',
      url: '/none',
      payload: Buffer.alloc(smallBodyBytes + 1),
      headers,
    })
    assert.equal(answer.body, '{"length":null}')
  })
})
