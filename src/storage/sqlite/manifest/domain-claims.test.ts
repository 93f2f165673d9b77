import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTemporaryFolder } from '../../../../test/harness/temporary-folder.ts'
import { openControlDatabase } from '../control/control-database.ts'
import { DayFiles } from '../days/day-files.ts'
import { DomainClaims, findIdentity, listClaims, writeIdentity } from './domain-claims.ts'
import { Installation } from './installation.ts'

/** Domains up to `last` exist. `lookups`: of which numbers was it asked. */
function domainsUpTo(last: number) {
  const lookups: number[] = []
  const reserved: number[] = []
  const findDomain = (number: number) => {
    lookups.push(number)
    return number <= last ? { id: `id-${number}`, name: `${number}.test` } : undefined
  }
  return { lookups, reserved, findDomain, reserve: (number: number) => void reserved.push(number) }
}

test('a claim is written once for each domain; a number that means none is reserved', () => {
  using folder = openTemporaryFolder()
  using db = new DayFiles(folder.path).openForWriting('2026-03-01', 1024)
  const installation = domainsUpTo(2)
  const claims = new DomainClaims(db, installation)
  for (const number of [1, 2, 1, 3, 3, 2]) claims.note(number)
  assert.deepEqual(installation.lookups, [1, 2, 3])
  assert.deepEqual(installation.reserved, [3])
  const written = [
    { number: 1, id: 'id-1', name: '1.test' },
    { number: 2, id: 'id-2', name: '2.test' },
    { number: 3, id: '', name: '' },
  ]
  assert.deepEqual(
    listClaims(db).map((claim) => ({ ...claim })),
    written,
  )
  // After a rollback.
  db.run('DELETE FROM domain_claim')
  claims.forget()
  for (const number of [1, 2, 3]) claims.note(number)
  assert.equal(listClaims(db).length, 3)
})

test('100,000 domains of a day are remembered; then it begins anew', () => {
  const installation = domainsUpTo(Number.POSITIVE_INFINITY)
  let written = 0
  const claims = new DomainClaims({ run: () => ({ changes: ++written, lastInsertRowid: 0 }) }, installation)
  for (let number = 1; number <= 100_000; number++) claims.note(number)
  claims.note(1)
  assert.equal(written, 100_000)
  claims.note(100_001)
  claims.note(100_001)
  claims.note(1)
  assert.equal(written, 100_002)
})

test('a file without an identity gets one, with the claims of its domains; one that has it keeps it', () => {
  using folder = openTemporaryFolder()
  using control = openControlDatabase(folder.path)
  using db = new DayFiles(folder.path).openForWriting('2026-03-01', 1024)
  const installation = new Installation(control)
  db.run('DELETE FROM identity')
  for (const domain of [4, 9]) db.run('INSERT INTO counter VALUES (?, 0, 1, 1)', domain)
  writeIdentity(db, '2026-03-01', installation)
  const identity = { installation: installation.id, day: '2026-03-01' }
  assert.deepEqual({ ...findIdentity(db) }, identity)
  assert.deepEqual(
    listClaims(db).map(({ number }) => number),
    [4, 9],
  )
  assert.equal(installation.highestNumber, 9)
  writeIdentity(db, '2026-03-02', installation)
  assert.deepEqual({ ...findIdentity(db) }, identity)
  assert.equal(db.number('SELECT count(*) FROM identity'), 1)
})
