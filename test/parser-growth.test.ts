/**
 * No parser of input that strangers choose takes more than n log n: every parser, with long runs and alternations of the
 * signs that some format gives a meaning to, alone and within a realistic record.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { findGrowth, type Growth } from './harness/growth/growth.ts'
import { BARE } from './harness/growth/inputs.ts'
import { PARSERS } from './harness/growth/parsers.ts'
import { SHAPES } from './harness/growth/shapes.ts'

/** More are not needed to see what is wrong, and each takes long. */
const FOUND_MAX = 3

describe('the processor time of a parser grows with its input, and no faster', () => {
  for (const parser of PARSERS) {
    test(parser.name, async () => {
      // Also for a connector or log reader that is not in the tables of samples yet.
      assert.ok(parser.inputs.length > 1, 'there is no sample for this parser in test/harness/growth/parsers.ts')
      const found: Growth[] = []
      for (const input of parser.inputs) {
        for (const shape of SHAPES) {
          const growth = found.length < FOUND_MAX ? await findGrowth(parser, input, shape) : undefined
          if (growth) found.push(growth)
        }
      }
      assert.deepEqual(found, [])
    })
  }
})

describe('the measurement', () => {
  const blanks = { name: 'blanks before a letter', fill: (length: number) => `${' '.repeat(length)}a` }
  const find = (parse: (text: string) => unknown) =>
    findGrowth({ name: 'sample', inputs: [BARE], parse: (input) => parse(input as string) }, BARE, blanks)
  let sum = 0

  const tooFast: Readonly<Record<string, (text: string) => unknown>> = {
    'a pattern that starts again at each blank': (text) => text.replace(/ +$/, ''),
    'a fast search from every position': (text) => {
      for (let at = 0; at < text.length; at += 16) sum += text.indexOf('b', at)
    },
    'quadratic up to a limit of 8,000 characters': (text) => text.slice(0, 8000).replace(/ +$/, ''),
    'quadratic besides linear work': (text) => {
      for (let index = 0; index < text.length; index++) sum += Math.sqrt(text.charCodeAt(index) + sum)
      return text.replace(/ +$/, '')
    },
    exponential: (text) => /^( +)+$/.test(text),
  }
  for (const [what, parse] of Object.entries(tooFast)) {
    test(`finds: ${what}`, async () => assert.ok(await find(parse)))
  }

  const slowEnough: Readonly<Record<string, (text: string) => unknown>> = {
    linear: (text) => text.split('').map((character) => character.charCodeAt(0)),
    sorting: (text) => Array.from(text, (_, index) => `${(index * 7919) % 65_537}`).sort(),
    'a refusal of every text': () => assert.fail(),
    'a step: long texts are another case': (text) => text.length > 30_000 && text.split('').sort(),
  }
  for (const [what, parse] of Object.entries(slowEnough)) {
    test(`accepts: ${what}`, async () => assert.equal(await find(parse), undefined))
  }
})
