import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  databaseOf,
  failedOn,
  isDamaged,
  isDamagedWithSchema,
  isFileFailure,
  isReadError,
  isStorageFailure,
} from './storage-failure.ts'

/** As node:sqlite reports a result code, extended codes included. */
function sqliteError(errcode: number, message = 'failed'): Error {
  return Object.assign(new Error(message), { code: 'ERR_SQLITE_ERROR', errcode })
}

function fileError(code: string): Error {
  return Object.assign(new Error('failed'), { code })
}

test('a disk that cannot be written is told from a bug, by the primary result code', () => {
  const primary = Array.from({ length: 101 }, (_, code) => code)
  const failures = [5, 6, 7, 8, 10, 11, 13, 14, 15, 26]
  assert.deepEqual(
    primary.filter((code) => isStorageFailure(sqliteError(code))),
    failures,
  )
  // IOERR_WRITE, CORRUPT_INDEX, BUSY_SNAPSHOT; CONSTRAINT_UNIQUE is none.
  for (const code of [778, 779, 517]) assert.equal(isStorageFailure(sqliteError(code)), true, String(code))
  assert.equal(isStorageFailure(sqliteError(2067)), false)
})

test('errors of the file system count, others do not', () => {
  for (const code of ['ENOSPC', 'EROFS', 'EIO']) assert.equal(isStorageFailure(fileError(code)), true, code)
  for (const other of [fileError('ENOENT'), new Error('bug'), 'ENOSPC', undefined, { errcode: 10 }])
    assert.equal(isStorageFailure(other), false)
})

test('a file is damaged if SQLite says so, or if a part of its schema is gone', () => {
  for (const code of [11, 26, 267, 779]) assert.equal(isDamaged(sqliteError(code)), true, String(code))
  for (const code of [1, 10, 13, 266]) assert.equal(isDamaged(sqliteError(code)), false, String(code))
  assert.equal(isDamaged(fileError('EIO')), false)
  assert.equal(isDamagedWithSchema(sqliteError(11)), true)
  for (const what of ['table: event', 'column: key', 'index: event_by_code'])
    assert.equal(isDamagedWithSchema(sqliteError(1, `no such ${what}`)), true, what)
  assert.equal(isDamagedWithSchema(sqliteError(1, 'syntax error')), false)
  assert.equal(isDamagedWithSchema(new Error('no such table: event')), false)
  assert.equal(isDamagedWithSchema('no such table: event'), false)
})

test('errors of reading are those that may pass', () => {
  for (const code of [266, 522, 8202, 8458]) assert.equal(isReadError(sqliteError(code)), true, String(code))
  for (const code of [10, 11, 778]) assert.equal(isReadError(sqliteError(code)), false, String(code))
  assert.equal(isReadError(fileError('EIO')), false)
})

test('an error names the file once, the first one that it is about', () => {
  const error = sqliteError(10, 'disk I/O error')
  assert.equal(failedOn('/a.db', error), error)
  failedOn('/a.db', error)
  assert.equal(error.message, 'disk I/O error (/a.db)')
  failedOn('/b.db', error)
  assert.equal(databaseOf(error), '/a.db')
  assert.equal(databaseOf(new Error('other')), undefined)
  assert.equal(failedOn('/a.db', 'text'), 'text')
})

test('failures of one file are told from those of the whole disk, by the code of SQLite or of the system', () => {
  const error = (fields: object) => Object.assign(new Error('failed'), fields)
  for (const errcode of [8, 10, 14, 266, 522]) assert.equal(isFileFailure(error({ errcode })), true, String(errcode))
  for (const code of ['EIO', 'EACCES', 'EPERM']) assert.equal(isFileFailure(error({ code })), true, code)
  for (const fields of [
    { errcode: 11 },
    { errcode: 13 },
    { errcode: 0, code: 'EIO' },
    { code: 'ENOSPC' },
    { code: 5 },
    {},
  ])
    assert.equal(isFileFailure(error(fields)), false, JSON.stringify(fields))
  assert.equal(isFileFailure({ code: 'EIO' }), false, 'not an error')
})
