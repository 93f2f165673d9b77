/** Pieces of sentences that many diagnoses share. */

/** "a, b and c". */
export function listWords(words: readonly string[]): string {
  const last = words.at(-1) ?? ''
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} and ${last}`
}

/** More names than these make no one wiser. */
const NAMES_MAX = 5

/** "a, b, c", and how many more there are. */
export function listSome(words: readonly string[]): string {
  const more = words.length - NAMES_MAX
  return words.slice(0, NAMES_MAX).join(', ') + (more > 0 ? ` and ${more} more` : '')
}

/** Exact, with a rounder figure where the number is no longer easy to read: "5400 seconds (1.5 hours)". */
export function describeSeconds(seconds: number): string {
  const exact = `${seconds} second${seconds === 1 ? '' : 's'}`
  const [length, unit] = seconds < 7200 ? [60, 'minute'] : seconds < 172_800 ? [3600, 'hour'] : [86_400, 'day']
  if (seconds < 120) return exact
  const rounded = Math.round((seconds / length) * 10) / 10
  return `${exact} (${rounded} ${unit}${rounded === 1 ? '' : 's'})`
}

/** How the name is entered where the provider appends the zone itself, as nearly all of them do. */
export function relativeName(name: string, zone: string): string {
  if (name === zone) return '@'
  return name.endsWith(`.${zone}`) ? name.slice(0, -zone.length - 1) : name
}

/** Where in the provider's form; a sentence. Empty where the zone is not known. */
export function describeField(name: string, zone: string | undefined): string {
  if (zone === undefined || zone === '') return ''
  const relative = relativeName(name, zone)
  const remark = relative === '@' ? ', or left empty' : ''
  return ` In the DNS settings of ${zone} the name is usually entered as "${relative}"${remark}.`
}
