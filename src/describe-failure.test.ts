import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeFailure } from './describe-failure.ts'
import { AppError } from './lib/app-error.ts'
import { clickHouseUnavailable } from './storage/clickhouse/server/clickhouse-failure.ts'
import { postgresUnavailable } from './storage/postgres/database/postgres-failure.ts'
import { readingInterrupted, storageUnavailable } from './storage/sqlite/database/storage-failure.ts'

test('a disk that fails is described in a sentence, a bug with its stack', () => {
  const failures = [
    Object.assign(new Error('disk I/O error (/data/control.db)'), { errcode: 10 }),
    Object.assign(new Error("EIO: i/o error, open '/data/access.key'"), { code: 'EIO' }),
  ]
  for (const error of failures) {
    assert.deepEqual(describeFailure(error), {
      message: `The data folder cannot be used: ${error.message}. Check the disk and its file system.`,
      exitCode: 1,
    })
  }
  const bug = describeFailure(new TypeError('x is undefined'))
  assert.match(bug.message, /^unexpected error, please report it:\nTypeError: x is undefined\n {4}at /)
  assert.equal(bug.exitCode, 1)
})

test('a storage that cannot be used is described with the cause, unless the message has it, and no other failure is', () => {
  const cause = new Error(`Connection loss ${'x'.repeat(1000)}`)
  for (const toError of [clickHouseUnavailable, postgresUnavailable, storageUnavailable, readingInterrupted]) {
    const { message } = describeFailure(toError(cause))
    assert.match(message, /^.*Send the same request again.*\.\nThe cause: Connection loss x{484}$/)
  }
  for (const error of [
    new AppError('storage_unavailable', 'ClickHouse cannot be used (a).', { cause: new Error('a') }),
    new AppError('storage_unavailable', 'Send the same request again.'),
    new AppError('storage_unavailable', 'The data folder cannot be used.', { cause }),
    new AppError('conflict', 'It is there already.', { cause }),
  ]) {
    assert.deepEqual(describeFailure(error), { message: error.message, exitCode: 1 })
  }
})
