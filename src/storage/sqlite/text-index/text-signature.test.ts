import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { codePoint } from '../../../../test/harness/code-point.ts'
import type { SearchedField, TextFilter } from '../../../events/log/log-query.ts'
import { foldCase } from '../../../lib/text/case-folding.ts'
import { SEARCHED_FIELDS } from './text-search.ts'
import { type SearchedTexts, SignatureTest, sign, wordsOf } from './text-signature.ts'

const NOTHING: SearchedTexts = { recipient: '', sender: null, from: null, subject: null }

type Named = { readonly [field in SearchedField]?: string }

/** Texts for single fields, and others for any of them. */
function filtersOf(named: Named, ...anywhere: readonly string[]): readonly TextFilter[] {
  return [
    ...(Object.entries(named) as [SearchedField, string][]).map(([field, text]) => ({ text, fields: [field] })),
    ...anywhere.map((text) => ({ text, fields: SEARCHED_FIELDS })),
  ]
}

function passes(texts: SearchedTexts, named: Named, ...anywhere: readonly string[]): boolean {
  const test = SignatureTest.of(filtersOf(named, ...anywhere))
  assert.ok(test)
  const signatures = test.fields.map((field) => {
    // The message is the second one; the first has nothing.
    const words = wordsOf(field)
    const ofField = new Uint32Array(2 * words)
    sign(field, texts[field] ?? '', ofField, words)
    return ofField
  })
  const passing = test.listPassing(signatures)
  assert.ok(passing.length === 0 || passing.join() === '1')
  return passing.length === 1
}

const text = fc.oneof(
  fc.string({ minLength: 3, maxLength: 60 }),
  fc.string({ unit: codePoint, minLength: 3, maxLength: 30 }),
  fc.constantFrom('İstanbul ΣΑΣ', 'Straße', '\0\0\0', '😀😀😀', 'a\u0301bc'),
)

test('a text that a field contains passes, in whatever letter case', () => {
  fc.assert(
    fc.property(fc.record({ recipient: text, sender: text, from: text, subject: text }), fc.nat(), (texts, at) => {
      for (const field of SEARCHED_FIELDS) {
        const folded = foldCase(texts[field])
        const from = at % (folded.length - 2)
        for (const part of [folded.slice(from, from + 3), folded.slice(from), folded.toUpperCase()]) {
          // Upper case may be another text altogether (ß); only what folds to a part of the field has to pass.
          if (part.length < 3 || !folded.includes(foldCase(part))) continue
          assert.ok(passes(texts, { [field]: part }), `${field}: ${part}`)
          assert.ok(passes(texts, {}, part), `anywhere: ${part}`)
        }
      }
    }),
  )
})

test('hardly any text that a message does not contain passes', () => {
  const texts: SearchedTexts = {
    recipient: 'liam.costa8970@hotmail.com',
    sender: 'bounces+79df237cbc@c0001.example',
    from: 'Acme Buchhaltung <rechnung@c0003.example>',
    subject: 'How was your order 757979?',
  }
  let passed = 0
  for (let user = 0; user < 1000; user++) if (passes(texts, { recipient: `nobody${user}@no.example` })) passed++
  assert.ok(passed < 10, `${passed} of 1000`)
})

test('a text is tested only in the requested field', () => {
  const texts = { ...NOTHING, recipient: 'someone@b.test' }
  assert.ok(passes(texts, { recipient: 'someone' }))
  assert.ok(!passes(texts, { sender: 'someone' }))
  assert.ok(!passes(texts, { recipient: 'someone', subject: 'weekly' }))
})

test('a text for any field passes if one field has it, in combination with a text for a single field', () => {
  const texts = { ...NOTHING, recipient: 'someone@b.test', subject: 'Weekly report' }
  assert.ok(passes(texts, { recipient: 'someone' }, 'report'))
  assert.ok(passes(texts, {}, 'someone'))
  assert.ok(!passes(texts, { recipient: 'nobody1' }, 'report'))
})

test('of several texts for any field each has to pass, in the same field or another', () => {
  const texts = { ...NOTHING, recipient: 'someone@b.test', subject: 'Weekly report' }
  assert.ok(passes(texts, {}, 'report', 'someone'))
  assert.ok(passes(texts, {}, 'weekly', 'report', 'one@'))
  assert.ok(!passes(texts, {}, 'report', 'nobody1'))
  const two = SignatureTest.of(filtersOf({}, 'report', 'someone'))
  assert.ok(two && two.chance < (SignatureTest.of(filtersOf({}, 'report'))?.chance ?? 0))
})

test('texts of one or two characters cannot be tested', () => {
  assert.equal(SignatureTest.of(filtersOf({ recipient: 'ab' })), undefined)
  assert.equal(SignatureTest.of([]), undefined)
  assert.equal(SignatureTest.of(filtersOf({}, 'ab')), undefined)
  assert.ok(SignatureTest.of(filtersOf({ subject: 'abc' }, 'ab')))
})

test('the longer a text, the fewer messages pass by chance', () => {
  const chanceOf = (subject: string) => SignatureTest.of(filtersOf({ subject }))?.chance ?? 1
  assert.ok(chanceOf('abc') < 1)
  assert.ok(chanceOf('abcdefg') < chanceOf('abcd') && chanceOf('abcd') < chanceOf('abc'))
})

test('the bits of a text stay as they are: files have them', () => {
  const signatureOf = (field: SearchedField, value: string) => {
    const words = new Uint32Array(wordsOf(field) + 1)
    sign(field, value, words, 1)
    assert.equal(words[0], 0)
    return [...words.subarray(1)].map((word) => word.toString(16))
  }
  const own = 'Grüße von José <jose@example.com> 😀 ΩΩΩ'
  for (const field of ['recipient', 'sender', 'subject'] as const)
    assert.deepEqual(signatureOf(field, own), ['213d08', '30530040', '52aa8012', 'ab08418'])
  assert.deepEqual(signatureOf('from', own), ['6ffbb23d'])
  assert.deepEqual(signatureOf('recipient', 'ab'), ['0', '0', '0', '0'])
})

test('messages are counted by the signatures of any field', () => {
  for (const field of SEARCHED_FIELDS) {
    const test = SignatureTest.of(filtersOf({ [field]: 'abc' }))
    assert.equal(test?.countMessages([new Uint32Array(7 * wordsOf(field))]), 7)
  }
})

test('texts are found in every word of a signature, after another text has left some messages', () => {
  for (let index = 0; index < 200; index++) {
    const texts = { ...NOTHING, recipient: `x${index}y@b.test` }
    const other = `${index}z${index}`
    const signature = new Uint32Array(wordsOf('recipient'))
    sign('recipient', texts.recipient, signature, 0)
    const bits = new Uint32Array(wordsOf('recipient'))
    sign('recipient', other, bits, 0)
    const isSet = bits.every((word, at) => (word & ~(signature[at] ?? 0)) === 0)
    const both = [
      { text: 'b.test', fields: ['recipient'] },
      { text: other, fields: ['recipient'] },
    ] satisfies TextFilter[]
    assert.equal(SignatureTest.of(both)?.listPassing([signature]).length, isSet ? 1 : 0)
  }
})

test('the chance of several texts is their product, of one that may be in any field at most the sum', () => {
  const chanceOf = (named: Named, ...anywhere: readonly string[]) =>
    SignatureTest.of(filtersOf(named, ...anywhere))?.chance ?? 0
  const isClose = (a: number, b: number) => assert.ok(Math.abs(a - b) < 1e-9, `${a} ${b}`)
  const each = SEARCHED_FIELDS.map((field) => chanceOf({ [field]: 'abcde' }))
  isClose(
    chanceOf({ recipient: 'abcde', subject: 'vwxyz' }),
    chanceOf({ recipient: 'abcde' }) * chanceOf({ subject: 'vwxyz' }),
  )
  isClose(
    chanceOf({}, 'abcde'),
    each.reduce((sum, chance) => sum + chance),
  )
  // One bit each: more than all messages.
  assert.equal(chanceOf({}, 'abc'), 0.99)
})
