/** A finding in one sentence, for programs and mails; the console writes its own, in the reader's time zone. */
import type { ReplyCount } from '../../events/replies/count-replies.ts'
import { maskReply } from '../../events/replies/mask-reply.ts'
import type { FailureFigure } from './deviation.ts'
import type { Comparison, Finding } from './finding.ts'

const NOUNS: Readonly<Record<FailureFigure, string>> = {
  bounced: 'bounces',
  deferred: 'deferrals',
  late_bounces: 'late bounces',
  complaints: 'complaints',
}

const UNSEEN = { weeks: 'not seen in the earlier weeks', hours: 'not seen in the hours before' } as const

/** Part of the examined events that a reply needs to be named. */
const MOST = 0.5

export function describeFinding(finding: Finding, { basis }: Comparison): string {
  const { figure, count, usual, isNew, sinceMs, untilMs, shareOfAll } = finding
  const time =
    untilMs === undefined ? `since ${toTime(sinceMs)} UTC` : `from ${toTime(sinceMs)} to ${toTime(untilMs)} UTC`
  const where = finding.address === undefined ? '' : ` at ${toPlace(finding)}`
  const before = basis === 'none' ? '' : ` (${isNew ? UNSEEN[basis] : `usually ${formatCount(Math.round(usual))}`})`
  const parts = [
    `${toSubject(finding)}: ${formatCount(count)} ${NOUNS[figure]} ${time}${where}${before}`,
    ...describeReply(finding),
    describeDomains(finding),
    `${formatShare(shareOfAll)} of all mail in this time`,
  ]
  return `${parts.join(', ')}.`
}

function toSubject(finding: Finding): string {
  if (finding.address !== undefined) return finding.address
  return finding.provider === '' ? 'Unknown provider' : toPlace(finding)
}

function toPlace({ provider, providers = 0 }: Finding): string {
  if (provider === undefined) return `${formatCount(providers)} providers`
  // Senders choose the name: one line, and not long.
  return provider === ''
    ? 'an unknown provider'
    : provider
        .replace(/[\p{C}\s]+/gu, ' ')
        .slice(0, 100)
        .toWellFormed()
}

/** The reply of most of the examined events. */
export function findMainReply({ replies }: Pick<Finding, 'replies'>): ReplyCount | undefined {
  const [first] = replies?.replies ?? []
  return replies && first && first.count >= MOST * replies.counted ? first : undefined
}

function describeReply(finding: Finding): readonly string[] {
  const { classification } = finding
  const main = findMainReply(finding)
  if (!main) return classification ? [maskReply(classification)] : []
  const { code, text } = main
  const words = code === undefined || text.startsWith(String(code)) ? text : `${code} ${text}`
  return words === '' ? [] : [words.trim()]
}

function describeDomains({ domains: { count, largest } }: Finding): string {
  const [only] = largest
  return count === 1 && only ? only.value : `${formatCount(count)} domains`
}

function toTime(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(11, 16)
}

function formatCount(count: number): string {
  return count.toLocaleString('en')
}

function formatShare(share: number): string {
  const percent = share * 100
  return percent > 0 && percent < 0.1
    ? 'less than 0.1 %'
    : `${percent.toFixed(percent < 10 ? 1 : 0).replace(/\.0$/, '')} %`
}
