import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../../lib/app-error.ts'
import { explainOpening } from './explain-opening.ts'

const exception = (code: number) => new Error(`Code: ${code}. DB::Exception: x`)
const messageOf = (error: unknown) => (explainOpening(error) as AppError).message

test('an account that ClickHouse refuses is said in words, by each of its codes', () => {
  const words = { 192: /does not know the user/, 193: /refuses the password/, 194: /requires a password/ }
  const others = {
    497: /does not grant the user the privileges.*docs\/scaling\.md/,
    516: /refuses the user or the password/,
  }
  for (const [code, text] of Object.entries({ ...words, ...others })) {
    assert.match(messageOf(exception(Number(code))), text)
    const cause = exception(Number(code))
    const wrapped = explainOpening(new AppError('conflict', 'x', { cause })) as AppError
    assert.deepEqual([wrapped.code, wrapped.cause, text.test(wrapped.message)], ['storage_unavailable', cause, true])
  }
})

test('a ClickHouse that does not answer is said with its address; anything else stays as it is', () => {
  assert.match(
    messageOf(new AppError('storage_unavailable', 'x', { cause: exception(210) })),
    /Check ENVELOG_CLICKHOUSE_URL/,
  )
  assert.match(messageOf(new AppError('storage_unavailable', 'x')), /Check ENVELOG_CLICKHOUSE_URL/)
  const cause = new Error('write EPROTO 40:error:0A:SSL routines:validate:wrong version number:tls.c:77:')
  const tls = messageOf(new AppError('storage_unavailable', 'x', { cause }))
  assert.match(tls, /^ClickHouse cannot be used \(the server does not use TLS on this port: .*\)\. /)
  for (const error of [new AppError('conflict', 'x'), new Error('bug'), exception(62)]) {
    assert.equal(explainOpening(error), error)
  }
})
