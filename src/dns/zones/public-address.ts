/**
 * Which addresses of name servers may be queried. The owner of a zone chooses its servers, and could choose a machine in
 * our own network: only public unicast addresses are allowed.
 */
import { BlockList, isIPv4 } from 'node:net'

/** IANA's IPv4 special-purpose registry (RFC 6890) and multicast; AS112 (RFC 7534) is allowed, because it consists of name servers. */
const SPECIAL_IPV4 = [
  ['0.0.0.0', 8], // "this network"
  ['10.0.0.0', 8], // private
  ['100.64.0.0', 10], // shared address space of carriers (RFC 6598)
  ['127.0.0.0', 8], // loopback
  ['169.254.0.0', 16], // link-local, and the metadata services of clouds
  ['172.16.0.0', 12], // private
  ['192.0.0.0', 24], // protocol assignments
  ['192.0.2.0', 24], // documentation
  ['192.52.193.0', 24], // multicast tunnelling
  ['192.88.99.0', 24], // 6to4 relay
  ['192.168.0.0', 16], // private
  ['198.18.0.0', 15], // benchmarks
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, broadcast
] as const

/**
 * Within 2000::/3, the only block of assigned unicast addresses. All other addresses are refused for being outside of it:
 * loopback, link-local, unique local, multicast, and the forms that carry an IPv4 address (::ffff:0:0/96, 64:ff9b::/96).
 */
const SPECIAL_IPV6 = [
  ['2001::', 23], // protocol assignments, Teredo
  ['2001:db8::', 32], // documentation
  ['2002::', 16], // 6to4, which carries an IPv4 address
  ['3fff::', 20], // documentation (RFC 9637)
] as const

const special = new BlockList()
for (const [network, prefix] of SPECIAL_IPV4) special.addSubnet(network, prefix, 'ipv4')
for (const [network, prefix] of SPECIAL_IPV6) special.addSubnet(network, prefix, 'ipv6')

const unicastIpv6 = new BlockList()
unicastIpv6.addSubnet('2000::', 3, 'ipv6')

export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !special.check(address, 'ipv4')
  return !address.includes('%') && unicastIpv6.check(address, 'ipv6') && !special.check(address, 'ipv6')
}
