/** The client address that a rate limit applies to: an IPv4 address, or the /64 network of an IPv6 address. */
import type { IncomingMessage } from 'node:http'
import { BlockList, isIP, isIPv6 } from 'node:net'

/** Networks of trusted proxies: this machine and private networks (RFC 1918, RFC 4193). */
const NEARBY = new BlockList()
NEARBY.addSubnet('127.0.0.0', 8)
NEARBY.addSubnet('10.0.0.0', 8)
NEARBY.addSubnet('172.16.0.0', 12)
NEARBY.addSubnet('192.168.0.0', 16)
NEARBY.addAddress('::1', 'ipv6')
NEARBY.addSubnet('fc00::', 7, 'ipv6')

/**
 * Behind a proxy, the last entry of X-Forwarded-For, which is the one that the proxy added. From other clients the header is
 * ignored: anyone can send it.
 */
export function clientAddressOf({ socket, headers }: IncomingMessage): string {
  const peer = plain(socket.remoteAddress ?? '')
  if (!isNearby(peer)) return toNetwork(peer)
  const forwarded = String(headers['x-forwarded-for'] ?? '').split(',')
  const client = plain(forwarded.at(-1)?.trim() ?? '')
  return toNetwork(isIP(client) === 0 ? peer : client)
}

function isNearby(address: string): boolean {
  const family = isIP(address)
  return family !== 0 && NEARBY.check(address, family === 6 ? 'ipv6' : 'ipv4')
}

/** Removes the prefix of an IPv4-mapped IPv6 address, as dual-stack sockets report it. */
function plain(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '')
}

/** A single customer usually has a whole /64 of IPv6 addresses. */
function toNetwork(address: string): string {
  if (!isIPv6(address)) return address
  const [head = '', tail] = address.split('::')
  const groups = head.split(':').filter((group) => group !== '')
  const rest = tail === undefined ? [] : tail.split(':').filter((group) => group !== '')
  const zeros = tail === undefined ? [] : Array.from({ length: 8 - groups.length - rest.length }, () => '0')
  return `${[...groups, ...zeros, ...rest].slice(0, 4).join(':')}::/64`
}
