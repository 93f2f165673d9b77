/** Which feedback reports are complaints (RFC 5965 section 7.3), shared by all sources of them. */

/**
 * Types that do not say that a recipient objects to a message: RFC 6430, RFC 6591, and the same in other words. All other
 * types count, also unknown ones: a provider sends reports because of its users.
 */
const NOT_COMPLAINTS: ReadonlySet<string> = new Set([
  'notspam',
  'notjunk',
  'notabuse',
  'nospam',
  'ham',
  'falsepositive',
  'authfailure',
  'authfail',
  'authentication',
  'authenticationfailure',
  'dkim',
  'spf',
  'dmarc',
])

/** Providers separate the words with a hyphen, an underscore, a space or nothing. */
export function isComplaint(feedbackType: string): boolean {
  const type = /^[\w -]{1,40}/.exec(feedbackType.trim().toLowerCase())?.[0] ?? ''
  return !NOT_COMPLAINTS.has(type.replaceAll(/[_ -]/g, ''))
}
