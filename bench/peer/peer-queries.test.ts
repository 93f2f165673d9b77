import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { messageStatement, pageStatement } from './peer-queries.ts'

const window = { startTimestamp: 10, endTimestamp: 20 }

describe("the peer's statement for a page", () => {
  test('takes a text for nothing but itself, and is planned for it', () => {
    const { text, values, isPlannedForValues } = pageStatement(1, { ...window, subject: '20%_off\\now' })
    assert.match(text, /subject ILIKE \$4/)
    assert.deepEqual(values, [1, 10, 20, '%20\\%\\_off\\\\now%'])
    assert.equal(isPlannedForValues, true)
  })

  test('goes on from a place, not from a count of rows', () => {
    const { text, values } = pageStatement(1, window, { timestamp: '15', arrival: '7' })
    assert.match(text, /\(timestamp, arrival\) < \(\$4, \$5\)/)
    assert.doesNotMatch(text, /OFFSET/i)
    assert.deepEqual(values, [1, 10, 20, '15', '7'])
  })

  test('has one name per text, so that it is prepared once', () => {
    const one = pageStatement(1, { ...window, responseCode: 550 })
    const same = pageStatement(2, { ...window, responseCode: 421 })
    assert.equal(one.name, same.name)
    assert.notEqual(one.name, pageStatement(1, { ...window, types: ['Bounce'] }).name)
    assert.notEqual(one.name, messageStatement(1, 'x').name)
  })
})
