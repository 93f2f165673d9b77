/** The words of a finding, in the reader's time zone. */
import type { Finding, Insights } from '../../../src/http/v1/statistics/insights.wire.ts'
import { formatCount, formatDayOfMonth, formatShortClock } from '../kit/text/format.ts'
import { labelOfReason } from '../search/value-label.ts'

type FigureId = Finding['figure']

const NOUNS: Readonly<Record<FigureId, readonly [one: string, many: string]>> = {
  bounced: ['bounce', 'bounces'],
  deferred: ['deferral', 'deferrals'],
  late_bounces: ['late bounce', 'late bounces'],
  complaints: ['complaint', 'complaints'],
}

const TONES: Readonly<Record<FigureId, string>> = {
  bounced: 'red',
  deferred: 'amber',
  late_bounces: 'rose',
  complaints: 'violet',
}

export function nounOf(figure: FigureId, count: number): string {
  return NOUNS[figure][count === 1 ? 0 : 1]
}

export function toneOf(figure: FigureId): string {
  return TONES[figure]
}

/** The sending address that fails, or the provider that refuses. */
export function subjectOf(finding: Pick<Finding, 'address' | 'provider' | 'providers'>): string {
  if (finding.address !== null) return finding.address
  return finding.provider === '' ? 'Unknown provider' : placeOf(finding)
}

export function placeOf({ provider, providers = 0 }: Pick<Finding, 'provider' | 'providers'>): string {
  if (provider === null) return `${formatCount(providers)} providers`
  return provider === '' ? 'an unknown provider' : provider
}

/** The code and the text of most replies; if they differ, the classification. */
export function replyOf({ code, text, classification }: Pick<Finding, 'code' | 'text' | 'classification'>): string {
  if (text === null) return labelOfReason(classification ?? '')
  return code === null || text.startsWith(String(code)) ? text : `${code} ${text}`.trim()
}

/** "since 14:00", "since 15 Nov 22:00" or "from 09:00 to 11:00". */
export function describeTime({ since, until }: Pick<Finding, 'since' | 'until'>, nowMs = Date.now()): string {
  const today = formatDayOfMonth(nowMs)
  const toText = (time: string) => {
    const day = formatDayOfMonth(Date.parse(time))
    const clock = formatShortClock(Date.parse(time))
    return day === today ? clock : `${day} ${clock}`
  }
  return until === null ? `since ${toText(since)}` : `from ${toText(since)} to ${toText(until)}`
}

/** "Gmail, 120 bounces since 06:00". */
export function describeBriefly(finding: Finding, nowMs = Date.now()): string {
  const { figure, count } = finding
  return `${subjectOf(finding)}, ${formatCount(count)} ${nounOf(figure, count)} ${describeTime(finding, nowMs)}`
}

/** Empty if there was no earlier mail at all. */
export function describeUsual(
  { usual, isNew }: Pick<Finding, 'usual' | 'isNew'>,
  { basis }: Pick<Insights['comparison'], 'basis'>,
): string {
  if (basis === 'none') return ''
  if (isNew) return basis === 'weeks' ? 'not seen in the earlier weeks' : 'not seen in the hours before'
  return `usually ${formatCount(Math.round(usual))}`
}

export function describeComparison({ basis, weeks, hours }: Insights['comparison']): string {
  switch (basis) {
    case 'weeks':
      return weeks === 1
        ? ', compared with the same hours of last week'
        : `, compared with the same hours of ${weeks} earlier weeks`
    case 'hours':
      return `, compared with the ${hours} hours before: there is no mail of earlier weeks yet`
    case 'none':
      return '. There is no earlier mail to compare with yet'
  }
}
