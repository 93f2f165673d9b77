/** Whether a request comes from a page of this server, according to headers that scripts cannot forge. */
import type { IncomingHttpHeaders } from 'node:http'

/**
 * `unknown`: neither header was sent, as by command-line clients and old browsers.
 * https://www.w3.org/TR/fetch-metadata/ section 2: Sec-Fetch-Site is sent only to https and localhost; Origin everywhere.
 */
export function originOf(headers: IncomingHttpHeaders): 'same' | 'other' | 'unknown' {
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin' ? 'same' : 'other'
  const { origin, host } = headers
  if (origin === undefined) return 'unknown'
  return host !== undefined && URL.parse(origin)?.host === withoutDefaultPort(origin, host) ? 'same' : 'other'
}

/** An Origin omits the default port of its scheme; a Host header may include it. */
function withoutDefaultPort(origin: string, host: string): string | undefined {
  return URL.parse(`${origin.startsWith('https:') ? 'https' : 'http'}://${host}`)?.host
}
