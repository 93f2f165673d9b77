import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeFailure } from './describe-failure.ts'

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
