/** Accessors for untrusted records: a value of the wrong type is treated as absent. */

export type UntrustedRecord = Readonly<Record<string, unknown>>

/** An empty object for anything that is not an object. */
export function asRecord(value: unknown): UntrustedRecord {
  return isRecord(value) ? value : {}
}

export function isRecord(value: unknown): value is UntrustedRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Undefined for blank strings too. */
export function asText(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined
}

/** The strings of a list; a single string counts as a list of one. */
export function asTexts(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []
}

/** Unknown fields are absent from an event, never undefined. */
export function withoutUndefined(fields: UntrustedRecord): UntrustedRecord {
  const known: Record<string, unknown> = {}
  for (const name of Object.keys(fields)) if (fields[name] !== undefined) known[name] = fields[name]
  return known
}
