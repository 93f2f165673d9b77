/** The network that limits per client apply to: an IPv4 address, or the /64 of an IPv6 address. */
import { isIPv6 } from 'node:net'

/**
 * A single customer usually has a whole /64 of IPv6 addresses, so a limit per address would not hold. Empty without an address:
 * for a Unix socket, or a connection that has been closed.
 */
export function clientNetworkOf(address: string | undefined): string {
  const plain = plainAddress(address)
  if (!isIPv6(plain)) return plain
  const [head = '', tail] = plain.split('::')
  const groups = head.split(':').filter((group) => group !== '')
  const rest = tail === undefined ? [] : tail.split(':').filter((group) => group !== '')
  const zeros = tail === undefined ? [] : Array.from({ length: 8 - groups.length - rest.length }, () => '0')
  return `${[...groups, ...zeros, ...rest].slice(0, 4).join(':')}::/64`
}

/** Removes the prefix of an IPv4-mapped IPv6 address, as dual-stack sockets report it. */
export function plainAddress(address = ''): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '')
}
