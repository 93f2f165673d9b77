/** The one spelling of an IP address: RFC 5952 for IPv6, so that equal addresses are equal texts. */
import { isIPv4, isIPv6 } from 'node:net'

/** Longer than any address with brackets, zone and port. */
const LENGTH_MAX = 100

/**
 * Understands `192.0.2.1`, `192.0.2.1:25`, `[192.0.2.1]:25`, `2001:db8::1`, `[2001:db8::1]` and `[2001:db8::1]:25`, with a zone
 * (`%eth0`) or without. An IPv4-mapped address is its IPv4 address. Undefined for any other text, and for the unspecified address.
 */
export function canonicalAddress(text: string): string | undefined {
  if (text.length > LENGTH_MAX) return undefined
  const address = withoutPort(text.trim()).replace(/%[\w.-]+$/, '')
  const canonical = isIPv4(address) ? address : isIPv6(address) ? canonicalIpv6(address) : undefined
  return canonical === '0.0.0.0' || canonical === '::' ? undefined : canonical
}

function withoutPort(text: string): string {
  const [, inBrackets, ipv4] = /^(?:\[([^[\]]*)\]|([\d.]+))(?::\d{1,5})?$/.exec(text) ?? []
  return inBrackets ?? ipv4 ?? text
}

function canonicalIpv6(address: string): string {
  // The URL standard shortens as RFC 5952 does, but writes an IPv4-mapped address in hexadecimal digits.
  const short = new URL(`http://[${address}]`).hostname.slice(1, -1)
  const [, high, low] = /^::ffff:([\da-f]{1,4}):([\da-f]{1,4})$/.exec(short) ?? []
  if (high === undefined || low === undefined) return short
  const bits = Number.parseInt(high, 16) * 0x1_00_00 + Number.parseInt(low, 16)
  return [24, 16, 8, 0].map((shift) => (bits >>> shift) & 0xff).join('.')
}
