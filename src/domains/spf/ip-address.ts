/** IP addresses and networks as numbers: what SPF compares, and the forms in which macros write them. */

export interface IpAddress {
  readonly family: 4 | 6
  readonly bits: bigint
}

export interface IpNetwork {
  readonly address: IpAddress
  readonly prefixLength: number
}

/** Section 5.6, qnum: no leading zeros. */
const QNUM = '(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])'
const DOTTED_QUAD = new RegExp(`^${QNUM}(?:\\.${QNUM}){3}$`)
const GROUP = /^[0-9a-f]{1,4}$/i
const IP4_MAPPED_PREFIX = 0xffffn

/** Undefined for what is no address. */
export function readIpAddress(text: string): IpAddress | undefined {
  return readIp4Address(text) ?? readIp6Address(text)
}

export function readIp4Address(text: string): IpAddress | undefined {
  if (!DOTTED_QUAD.test(text)) return undefined
  return { family: 4, bits: joinBits(text.split('.').map(BigInt), 8n) }
}

/** RFC 4291 section 2.2, all three forms; no zone index. */
export function readIp6Address(text: string): IpAddress | undefined {
  const [head = '', tail, ...more] = text.split('::')
  if (more.length > 0) return undefined
  const before = readGroups(head, tail === undefined)
  const after = readGroups(tail ?? '', true)
  if (before === undefined || after === undefined) return undefined
  const missing = 8 - before.length - after.length
  // "::" stands for one group of zeros or more.
  if (tail === undefined ? missing !== 0 : missing < 1) return undefined
  const zeros = Array.from({ length: missing }, () => 0n)
  return { family: 6, bits: joinBits([...before, ...zeros, ...after], 16n) }
}

/** `isLast`: the groups end the address, so the last of them may be two groups written as a dotted quad. */
function readGroups(text: string, isLast: boolean): readonly bigint[] | undefined {
  if (text === '') return []
  const groups = text.split(':')
  const quad = isLast ? readIp4Address(groups.at(-1) ?? '') : undefined
  if (quad !== undefined) groups.pop()
  if (!groups.every((group) => GROUP.test(group))) return undefined
  const numbers = groups.map((group) => BigInt(`0x${group}`))
  return quad === undefined ? numbers : [...numbers, quad.bits >> 16n, quad.bits & 0xffffn]
}

function joinBits(parts: readonly bigint[], width: bigint): bigint {
  return parts.reduce((bits, part) => (bits << width) | part, 0n)
}

/** Section 5: a client with an IPv4-mapped IPv6 address is an IPv4 client. */
export function withoutIp4Mapping(ip: IpAddress): IpAddress {
  const isMapped = ip.family === 6 && ip.bits >> 32n === IP4_MAPPED_PREFIX
  return isMapped ? { family: 4, bits: ip.bits & 0xffff_ffffn } : ip
}

export function isInNetwork(ip: IpAddress, { address, prefixLength }: IpNetwork): boolean {
  const shift = BigInt(widthOf(ip.family) - prefixLength)
  return ip.family === address.family && ip.bits >> shift === address.bits >> shift
}

export function isSameAddress(one: IpAddress, other: IpAddress): boolean {
  return one.family === other.family && one.bits === other.bits
}

export function widthOf(family: 4 | 6): 32 | 128 {
  return family === 4 ? 32 : 128
}

/** As people write it (RFC 5952). */
export function formatIpAddress(ip: IpAddress): string {
  if (ip.family === 4) return partsOf(ip, 8).join('.')
  const text = partsOf(ip, 16)
    .map((group) => group.toString(16))
    .join(':')
  const [zeros] = (text.match(/\b0(?::0)+\b/g) ?? []).toSorted((one, other) => other.length - one.length)
  if (zeros === undefined) return text
  const at = text.search(new RegExp(`\\b${zeros}\\b`))
  return `${text.slice(0, at).replace(/:$/, '')}::${text.slice(at + zeros.length).replace(/^:/, '')}`
}

/** Section 7.3, macro "i": for IPv6 each hexadecimal digit is a part. */
export function formatDotted(ip: IpAddress): string {
  if (ip.family === 4) return formatIpAddress(ip)
  return partsOf(ip, 4)
    .map((digit) => digit.toString(16).toUpperCase())
    .join('.')
}

/** The name that holds the PTR records of the address (RFC 1035 section 3.5, RFC 3596 section 2.5). */
export function reverseNameOf(ip: IpAddress): string {
  const reversed = formatDotted(ip).split('.').toReversed().join('.')
  return `${reversed}.${ip.family === 4 ? 'in-addr' : 'ip6'}.arpa`
}

function partsOf(ip: IpAddress, width: number): readonly number[] {
  const mask = (1n << BigInt(width)) - 1n
  const count = widthOf(ip.family) / width
  return Array.from({ length: count }, (_, index) => Number((ip.bits >> BigInt((count - 1 - index) * width)) & mask))
}
