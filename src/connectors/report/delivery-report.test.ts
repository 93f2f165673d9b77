import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { findDeliveryStatus } from './delivery-report.ts'

function outcomeOf(...fields: readonly string[]) {
  return findDeliveryStatus(['Final-Recipient: rfc822; a@b.c', ...fields].join('\n'))?.outcomes[0]
}

describe('the action of a report', () => {
  const cases: readonly (readonly [string, string, string])[] = [
    ['Action: failed', 'Status: 4.4.7', 'failed'],
    ['Action: expired', 'Status: 5.4.7', 'failed'],
    ['Action: expired', 'Status: 4.4.7', 'failed'],
    ['Action: expired', 'Status: ', 'failed'],
    ['Action: error', 'Status: 5.1.1', 'failed'],
    ['Action: error', 'Status: 4.2.2', 'delayed'],
    ['Action: bounced (for good)', 'Status: 5.0.0 (permanent)', 'failed'],
    ['Action: none', 'Status: 2.0.0', 'delivered'],
    ['Action: error', 'Diagnostic-Code: smtp; 550 no', 'failed'],
    ['Action: error', 'Status: unknown', 'unclear'],
    ['Action: relayed', 'Status: 5.0.0', 'relayed'],
  ]
  for (const [action, status, expected] of cases)
    test(`${action}, ${status}`, () => assert.equal(outcomeOf(action, status)?.action, expected))
})

test('codes of a success are not those of a failure, but those of a success are kept', () => {
  for (const diagnostic of ['smtp; 220 mx ready', 'smtp; 255 odd', 'x-unix; 255', 'smtp; 354 go on', 'smtp; 600 odd'])
    assert.equal(outcomeOf('Action: failed', 'Status: 5.0.0', `Diagnostic-Code: ${diagnostic}`)?.code, undefined)
  assert.equal(outcomeOf('Action: failed', 'Status: 2.0.0')?.enhancedCode, undefined)
  const delivered = outcomeOf('Action: delivered', 'Status: 2.1.5', 'Diagnostic-Code: smtp; 250 2.1.5 ok')
  assert.partialDeepStrictEqual(delivered, { code: 250, enhancedCode: '2.1.5', text: 'ok' })
})

test('the exit code of a program is not a text', () => {
  assert.equal(outcomeOf('Action: failed', 'Status: 5.0.0', 'Diagnostic-Code: X-Unix; 77')?.text, undefined)
})
