/** Whether a browser made a request for a page of ours, told by the headers that scripts cannot forge. */
import type { IncomingHttpHeaders } from 'node:http'

/**
 * `unknown`: it says nothing, as command lines do, and browsers that are old or send no Origin.
 * https://www.w3.org/TR/fetch-metadata/ section 2: Sec-Fetch-Site is sent to https and localhost alone; Origin everywhere.
 */
export function originOf(headers: IncomingHttpHeaders): 'same' | 'other' | 'unknown' {
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin' ? 'same' : 'other'
  const { origin, host } = headers
  if (origin === undefined) return 'unknown'
  return host !== undefined && URL.parse(origin)?.host === withoutDefaultPort(origin, host) ? 'same' : 'other'
}

/** A URL leaves the default port of its scheme out; a Host header need not. */
function withoutDefaultPort(origin: string, host: string): string | undefined {
  return URL.parse(`${origin.startsWith('https:') ? 'https' : 'http'}://${host}`)?.host
}
