import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTemporaryFolder } from '../../../../test/harness/temporary-folder.ts'
import { DayFiles } from '../days/day-files.ts'
import { toMessageKey } from '../days/message-key.ts'
import { INSERT_SIGNATURE_ROW, joinRows, MESSAGES_PER_ROW, type SignatureRow, toColumns } from './signature-row.ts'
import { TextCandidates } from './text-candidates.ts'
import { SEARCHED_FIELDS } from './text-search.ts'
import { SignatureTest, sign, wordsOf } from './text-signature.ts'

const DOMAIN = 7

/** Messages with these numbers, all of which have the text. */
function rowOf(numbers: readonly number[]): SignatureRow {
  const fields = SEARCHED_FIELDS.map((field) => {
    const signatures = new Uint32Array(numbers.length * wordsOf(field))
    for (const index of numbers.keys()) sign(field, 'someone', signatures, index * wordsOf(field))
    return signatures
  })
  return { numbers: Uint32Array.from(numbers), fields }
}

function range(from: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => from + index)
}

test('a search misses no message if rows are compacted between its batches', () => {
  using folder = openTemporaryFolder()
  using db = new DayFiles(folder.path).openForWriting('2026-03-01', 1024)
  const keyOf = ({ numbers }: SignatureRow) => toMessageKey(DOMAIN, numbers.at(-1) ?? 0)
  const insert = (row: SignatureRow) => db.run(INSERT_SIGNATURE_ROW, keyOf(row), ...toColumns(row))
  // As earlier compactions leave them: a row that is not full before the full ones, and another with old and new messages.
  const full = range(0, 70).map((index) => rowOf(range(10_000 + index * MESSAGES_PER_ROW, MESSAGES_PER_ROW)))
  const loose = [rowOf(range(1, 300)), rowOf([...range(301, 400), ...range(100_000, 50)])]
  for (const row of [...full, ...loose]) insert(row)

  const signature = SignatureTest.of([{ text: 'someone', fields: ['recipient'] }])
  assert.ok(signature)
  const searching = new TextCandidates(db).ofDomain(DOMAIN, signature, 1)
  assert.equal(searching.next().done, false)
  for (const row of loose) db.run('DELETE FROM message_signature WHERE key = ?', keyOf(row))
  for (const row of joinRows(loose)) insert(row)
  for (;;) {
    const { done, value } = searching.next()
    if (!done) continue
    assert.equal(new Set(value.numbers).size, 70 * MESSAGES_PER_ROW + 750)
    return
  }
})
