import assert from 'node:assert/strict'
import { test } from 'node:test'
import { foldCase } from './case-folding.ts'

function codePointsWithCase(): string[] {
  const found: string[] = []
  for (let code = 1; code <= 0x1ffff; code++) {
    if (code === 0xd800) code = 0xe000
    const character = String.fromCodePoint(code)
    if (/\p{Changes_When_Casefolded}|\p{Changes_When_Casemapped}/u.test(character)) found.push(character)
  }
  return found
}

test('two code points fold to the same one exactly when Unicode simple case folding equates them', () => {
  const all = codePointsWithCase()
  const joined = all.join('')
  for (const character of all) {
    const sameClass = new RegExp(RegExp.escape(character), 'giu')
    for (const [other] of joined.matchAll(sameClass))
      assert.equal(foldCase(other), foldCase(character), `${other} ${character}`)
    assert.match(foldCase(character), new RegExp(`^${RegExp.escape(character)}$`, 'iu'))
  }
})

test('folding keeps the number of code points, so substrings stay substrings', () => {
  for (const text of ['İstanbul', 'STRASSE ẞ', 'ΣΊΣΥΦΟΣ', '😀Zz', 'ﬃ', 'ŉ'])
    assert.equal([...foldCase(text)].length, [...text].length)
})

test('a folded text does not change when folded again', () => {
  for (const character of codePointsWithCase()) assert.equal(foldCase(foldCase(character)), foldCase(character))
})
