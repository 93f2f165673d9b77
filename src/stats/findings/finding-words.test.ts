import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Comparison, Finding } from './finding.ts'
import { describeFinding, findMainReply } from './finding-words.ts'

const FINDING = {
  figure: 'bounced',
  provider: 'Gmail',
  count: 1234,
  usual: 12.4,
  isNew: false,
  sinceMs: Date.parse('2026-03-01T08:05:00Z'),
  shareOfAll: 0.5,
  domains: { count: 2, largest: [{ value: 'a.test', count: 3 }] },
} as unknown as Finding

type Extra = Readonly<Record<string, unknown>>

function words(extra: Extra = {}, basis: Comparison['basis'] = 'weeks'): string {
  return describeFinding({ ...FINDING, ...extra } as Finding, { basis } as Comparison)
}

test('a finding is one sentence', () => {
  assert.equal(words(), 'Gmail: 1,234 bounces since 08:05 UTC (usually 12), 2 domains, 50 % of all mail in this time.')
})

test('each part follows from the finding', () => {
  const replies = (count: number, code?: number, text = 'mailbox full') => ({
    replies: { counted: 10, replies: [{ count, code, text }] },
  })
  for (const [extra, expected, basis] of [
    [{ untilMs: Date.parse('2026-03-01T09:00:00Z') }, / from 08:05 to 09:00 UTC /],
    [{ isNew: true }, / UTC \(not seen in the earlier weeks\), /],
    [{ isNew: true }, / UTC \(not seen in the hours before\), /, 'hours'],
    [{}, / UTC, 2 domains/, 'none'],
    [{ figure: 'late_bounces' }, /1,234 late bounces/],
    [{ provider: '' }, /^Unknown provider: /],
    [{ provider: undefined, providers: 1500 }, /^1,500 providers: /],
    [{ provider: `a\n\t b${'x'.repeat(200)}` }, /^a bx{97}: /],
    [{ address: '192.0.2.1' }, /^192\.0\.2\.1: .* UTC at Gmail \(/],
    [{ address: '192.0.2.1', provider: '' }, / UTC at an unknown provider \(/],
    [{ address: '192.0.2.1', provider: undefined }, / UTC at 0 providers \(/],
    [{ domains: { count: 1, largest: [{ value: 'a.test' }] } }, /\), a\.test, 50 %/],
    [{ domains: { count: 1, largest: [] } }, /, 1 domains, /],
    [replies(5, 552), /\), 552 mailbox full, 2 domains/],
    [replies(5, 552, '552 mailbox full '), /\), 552 mailbox full, 2 domains/],
    [replies(5), /\), mailbox full, 2 domains/],
    [replies(5, undefined, ''), /\), 2 domains/],
    [replies(4, 552), /\), 2 domains/],
    [{ ...replies(4), classification: 'QuotaIssues' }, /\), QuotaIssues, 2 domains/],
    [{ shareOfAll: 0 }, /, 0 % of all/],
    [{ shareOfAll: 0.000_9 }, /, less than 0\.1 % of all/],
    [{ shareOfAll: 0.001 }, /, 0\.1 % of all/],
    [{ shareOfAll: 0.0996 }, /, 10 % of all/],
    [{ shareOfAll: 0.02 }, /, 2 % of all/],
    [{ shareOfAll: 0.123 }, /, 12 % of all/],
    [{ shareOfAll: 0.1049 }, /, 10 % of all/],
  ] as readonly (readonly [Extra, RegExp, Comparison['basis']?])[]) {
    assert.match(words(extra, basis), expected, JSON.stringify(extra))
  }
})

test('the main reply is that of at least half of the examined events', () => {
  const replies = [{ count: 5, text: 'x' }] as const
  assert.equal(findMainReply({}), undefined)
  assert.equal(findMainReply({ replies: { counted: 11, replies } } as unknown as Finding), undefined)
  assert.equal(findMainReply({ replies: { counted: 10, replies } } as unknown as Finding), replies[0])
})
