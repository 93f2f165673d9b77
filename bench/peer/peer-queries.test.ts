import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { pageStatement } from './peer-queries.ts'

const window = { startTimestamp: 10, endTimestamp: 20 }

describe("the peer's statement for a page", () => {
  test('takes a text literally, and is planned for it', () => {
    const { text, values, isPlannedForValues } = pageStatement([1], { ...window, subject: '20%_off\\now' }, 50)
    assert.match(text, /subject ILIKE \$4/)
    assert.deepEqual(values, [1, 10, 20, '%20\\%\\_off\\\\now%'])
    assert.equal(isPlannedForValues, true)
  })

  test('continues from a position, not from a count of rows', () => {
    const { text, values } = pageStatement([1], window, 50, { timestamp: '15', arrival: '7' })
    assert.match(text, /\(timestamp, arrival\) < \(\$4, \$5\)/)
    assert.doesNotMatch(text, /OFFSET/i)
    assert.deepEqual(values, [1, 10, 20, '15', '7'])
  })

  test('has one name per text, so that it is prepared once', () => {
    const one = pageStatement([1], { ...window, responseCode: 550 }, 50)
    const same = pageStatement([2], { ...window, responseCode: 421 }, 50)
    assert.equal(one.name, same.name)
    assert.notEqual(one.name, pageStatement([1], { ...window, types: ['Bounce'] }, 50).name)
  })

  test('has a condition on the domain unless it is about all of them', () => {
    assert.match(pageStatement([1, 2], window, 50).text, /domain_id = ANY\(\$1\)/)
    assert.doesNotMatch(pageStatement([], window, 50).text, /domain_id [=<>]/)
  })
})
