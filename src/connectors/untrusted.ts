/** Parts of records from outside, read without trust: what is not of the wanted kind is not there. */

export type UntrustedRecord = Readonly<Record<string, unknown>>

/** An object without members for what is none. */
export function asRecord(value: unknown): UntrustedRecord {
  return isRecord(value) ? value : {}
}

export function isRecord(value: unknown): value is UntrustedRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A text that says something. */
export function asText(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined
}

/** The texts of a list, or the one text that stands for a list of one. */
export function asTexts(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []
}

/** Fields that are not known are absent from an event, never undefined. */
export function withoutUndefined(fields: UntrustedRecord): UntrustedRecord {
  const known: Record<string, unknown> = {}
  for (const name of Object.keys(fields)) if (fields[name] !== undefined) known[name] = fields[name]
  return known
}
