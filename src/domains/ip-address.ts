/** IP addresses and networks as numbers that can be compared. */

export interface IpAddress {
  readonly family: 4 | 6
  readonly bits: bigint
}

export interface IpNetwork {
  readonly address: IpAddress
  readonly prefixLength: number
}

/** RFC 7208 5.6, qnum: no leading zeros. */
const QNUM = '(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])'
const DOTTED_QUAD = new RegExp(`^${QNUM}(?:\\.${QNUM}){3}$`)
const GROUP = /^[0-9a-f]{1,4}$/i

/** Undefined if the text is not an address. */
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
  // "::" stands for at least one group of zeros.
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

export function isInNetwork(ip: IpAddress, { address, prefixLength }: IpNetwork): boolean {
  const shift = BigInt(widthOf(ip.family) - prefixLength)
  return ip.family === address.family && ip.bits >> shift === address.bits >> shift
}

export function widthOf(family: 4 | 6): 32 | 128 {
  return family === 4 ? 32 : 128
}
