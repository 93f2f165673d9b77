/** The session cookie: its names and attributes, with and without TLS; and the CSRF header. */

/** A request with the cookie, unless it is GET or HEAD, carries the session's CSRF token in this header. */
export const CSRF_HEADER = 'x-csrf-token'

/** Browsers drop cookies with the prefix or with `Secure` that come without TLS. */
export const PLAIN_COOKIE = 'envelog_session'
/**
 * RFC 6265bis section 4.1.3.2: only this very host can set it, over TLS. A cookie without the prefix can also be set by a page
 * of another subdomain.
 */
export const HOST_COOKIE = '__Host-envelog_session'

/** Over TLS only the cookie with the prefix counts: otherwise a page of another subdomain could set a session of its own. */
export function findSessionCookie(header: string | undefined, protocol: string): string | undefined {
  const pairs = header?.split(';').map((pair) => pair.trim()) ?? []
  const find = (name: string) => pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1)
  return find(HOST_COOKIE) ?? (protocol === 'https' ? undefined : find(PLAIN_COOKIE))
}

/** The value of Set-Cookie. */
export function writeSessionCookie(token: string, maxAgeMs: number, protocol: string): string {
  return protocol === 'https' ? write(HOST_COOKIE, token, maxAgeMs) : write(PLAIN_COOKIE, token, maxAgeMs)
}

/** The values of Set-Cookie that delete both. */
export function removeSessionCookies(): readonly string[] {
  return [write(PLAIN_COOKIE, '', 0), write(HOST_COOKIE, '', 0)]
}

function write(name: string, value: string, maxAgeMs: number): string {
  const attributes = ['HttpOnly', 'SameSite=Strict', 'Path=/', `Max-Age=${maxAgeMs / 1000}`]
  if (name === HOST_COOKIE) attributes.push('Secure')
  return `${name}=${value}; ${attributes.join('; ')}`
}
