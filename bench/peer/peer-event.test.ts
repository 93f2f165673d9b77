import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EmailEvent } from '../../src/events/event.ts'
import { fromColumns, toCopyLine } from './peer-event.ts'

/** What PostgreSQL makes of a line of COPY in its text format. */
function readCopyLine(line: string): (string | null)[] {
  const unescaped = (text: string) =>
    text.replace(/\\(.)/g, (_, letter: string) => ({ t: '\t', n: '\n', r: '\r' })[letter] ?? letter)
  return line
    .slice(0, -1)
    .split('\t')
    .map((field) => (field === '\\N' ? null : unescaped(field)))
}

test('an event comes back from the peer as it was, field by field', () => {
  const event: EmailEvent = {
    id: '0199a0b0-0000-7000-8000-000000000001',
    timestamp: 1_790_000_000,
    type: 'Bounce',
    domain_name: 'a.example',
    recipient: 'b@c.example',
    subject: 'Tabs\tand\nlines \\N \\. ☕',
    response_code: 550,
    response_enhanced_code: '',
    num_attempts: 0,
    campaign: null,
  }
  const [arrival, domainId, ...columns] = readCopyLine(toCopyLine(event, 7, 42))
  assert.deepEqual([arrival, domainId], ['42', '7'])
  assert.deepEqual(fromColumns(columns, 'a.example'), event)
})
