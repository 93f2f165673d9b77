/**
 * No parser of input that strangers choose takes more than n log n: every parser, with long runs and alternations of every
 * sign that some format gives a meaning to, alone and within a realistic record.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { findGrowth, type Growth } from './harness/growth/growth.ts'
import { PARSERS } from './harness/growth/parsers.ts'
import { SHAPES } from './harness/growth/shapes.ts'

describe('the processor time of a parser grows with its input, and no faster', () => {
  for (const parser of PARSERS) {
    test(parser.name, async () => {
      assert.ok(parser.inputs.length > 0, 'the parser has a sample')
      const found: Growth[] = []
      for (const input of parser.inputs) {
        for (const shape of SHAPES) {
          const growth = await findGrowth(parser, input, shape)
          if (growth) found.push(growth)
        }
      }
      assert.deepEqual(found, [])
    })
  }
})
