/** Durations as text: `90d`, `36h`, `15m`, `30s`, `500ms`. One number, one unit. */

const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

export const DURATION_FORM = 'a whole number and a unit (ms, s, m, h, d), such as 90d or 500ms'

/** Throws with a text that continues the sentence "the value …". */
export function parseDuration(text: string): number {
  const [, digits, unit] = /^(\d{1,15})(ms|s|m|h|d)$/.exec(text) ?? []
  if (digits === undefined || unit === undefined) throw new Error('is not a duration')
  return Number(digits) * (UNIT_MS[unit] ?? Number.NaN)
}

/** The shortest exact form: the largest unit that divides it. */
export function formatDuration(durationMs: number): string {
  const units = Object.entries(UNIT_MS).toReversed()
  const [name, sizeMs] = units.find(([, unitMs]) => durationMs > 0 && durationMs % unitMs === 0) ?? ['ms', 1]
  return `${durationMs / sizeMs}${name}`
}
