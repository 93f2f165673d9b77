import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { repairText } from './copied-text.ts'

const DAMAGED: readonly (readonly [text: string, meant: string, diagnoses: readonly string[]])[] = [
  ['"v=DKIM1; p=abc"', 'v=DKIM1; p=abc', ['quotes_left']],
  ['v=DKIM1; p=ab" "cd', 'v=DKIM1; p=abcd', ['quotes_left']],
  ['\u201cv=DKIM1; p=abc\u201d', 'v=DKIM1; p=abc', ['quotes_left']],
  ["'v=spf1 -all'", 'v=spf1 -all', ['quotes_left']],
  ['v=DKIM1\\; p=abc', 'v=DKIM1; p=abc', ['escapes_left']],
  ['\\"v=DKIM1\\; p=abc\\"', 'v=DKIM1; p=abc', ['quotes_left', 'escapes_left']],
  ['v=spf1 \u2013all', 'v=spf1 -all', ['lookalike_characters']],
  ['v=spf1\u00a0-all', 'v=spf1 -all', ['lookalike_characters']],
  ['v=DKIM1; p=ab\u200bcd', 'v=DKIM1; p=abcd', ['lookalike_characters']],
  ['\ufeffv=DMARC1; p=none', 'v=DMARC1; p=none', ['lookalike_characters']],
]

describe('damage from copying a value', () => {
  for (const [text, meant, diagnoses] of DAMAGED) {
    test(`${JSON.stringify(text)} was meant as ${JSON.stringify(meant)}`, () => {
      const repaired = repairText(text)
      assert.equal(repaired.text, meant)
      assert.deepEqual(
        repaired.damages.map(({ diagnosis }) => diagnosis),
        diagnoses,
      )
    })
  }

  test('a correct value stays unchanged', () => {
    for (const text of ['v=DKIM1; k=rsa; p=ab+/cd==', 'v=spf1 include:spf.example.net ~all', '']) {
      assert.deepEqual(repairText(text), { text, damages: [] })
    }
  })

  test('the first lookalike character is named, with its position', () => {
    const [damage] = repairText('v=spf1 \u2013all \u2014').damages
    assert.match(damage?.what ?? '', /2 lookalike characters.*U\+2013 at position 8/)
  })
})

test('the first of several lookalikes is named, whatever its kind; spaces around a value are no damage', () => {
  const { text, damages } = repairText('a\u00A0b\u2010c\u200B')
  assert.equal(text, 'a b-c')
  assert.match(damages[0]?.what ?? '', /^3 lookalike characters \(the first is U\+00A0 at position 2\)$/)
  assert.deepEqual(repairText(' a b '), { text: 'a b', damages: [] })
})
