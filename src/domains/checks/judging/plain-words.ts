/** Parts of sentences that many diagnoses share. */

/** "a, b and c". */
export function listWords(words: readonly string[]): string {
  const last = words.at(-1) ?? ''
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} and ${last}`
}

/** Maximum number of names to list. */
const NAMES_MAX = 5

/** "a, b, c and 2 more". */
export function listSome(words: readonly string[]): string {
  const more = words.length - NAMES_MAX
  return words.slice(0, NAMES_MAX).join(', ') + (more > 0 ? ` and ${more} more` : '')
}

/** Exact, with a rounded figure if the number is hard to read: "5400 seconds (90 minutes)". */
export function describeSeconds(seconds: number): string {
  const exact = `${seconds} second${seconds === 1 ? '' : 's'}`
  const [length, units] = seconds < 7200 ? [60, 'minutes'] : seconds < 172_800 ? [3600, 'hours'] : [86_400, 'days']
  if (seconds < 120) return exact
  const rounded = Math.round((seconds / length) * 10) / 10
  return `${exact} (${rounded} ${units})`
}

/** The name as entered in the form of a provider that appends the zone, as nearly all do. */
export function relativeName(name: string, zone: string): string {
  if (name === zone) return '@'
  return name.endsWith(`.${zone}`) ? name.slice(0, -zone.length - 1) : name
}

/** A sentence about the name field of the provider's form. Empty if the zone is not known. */
export function describeField(name: string, zone: string | undefined): string {
  if (zone === undefined || zone === '') return ''
  const relative = relativeName(name, zone)
  const remark = relative === '@' ? ', or left empty' : ''
  return ` In the DNS settings of ${zone} the name is usually entered as "${relative}"${remark}.`
}
