/** Parses one term of an SPF record by the grammar of RFC 7208 section 12. */
import { type IpNetwork, readIp4Address, readIp6Address, widthOf } from '../../ip-address.ts'
import { parseDomainSpec, parseMacroString } from './macro-string.ts'
import { SpfSyntaxError } from './spf-syntax-error.ts'
import type { SpfMechanism, SpfModifier, SpfQualifier, SpfTerm } from './spf-term.ts'

/** RFC 7208 4.6.1: a modifier has "=" directly after its name, before any ":" or "/". */
const MODIFIER = /^([^:/=]*)=(.*)$/s
const MODIFIER_NAME = /^[a-z][a-z0-9\-_.]*$/i
const MECHANISM = /^([+\-?~]?)([^:/]*)(.*)$/s
const DUAL_PREFIX_LENGTH = /(?:\/([0-9]+))?(?:\/\/([0-9]+))?$/

/** Throws SpfSyntaxError with a position relative to the term. `at`: the position of the term in the record. */
export function parseTerm(text: string, at: number): SpfTerm {
  const bad = /[^\x21-\x7e]/u.exec(text)
  if (bad !== null) throw new SpfSyntaxError('bad_character', bad.index, bad[0])
  const modifier = MODIFIER.exec(text)
  return modifier === null ? parseMechanism(text, at) : parseModifier(text, at, modifier)
}

function parseModifier(text: string, at: number, [, name = '', value = '']: RegExpExecArray): SpfModifier {
  if (!MODIFIER_NAME.test(name)) throw new SpfSyntaxError('bad_modifier_name', 0, name)
  const valueAt = name.length + 1
  const kind = name.toLowerCase()
  if (kind === 'redirect' || kind === 'exp') {
    return { kind, text, at, domainSpec: within(valueAt, () => parseDomainSpec(value)) }
  }
  within(valueAt, () => parseMacroString(value, 'unknown_modifier'))
  return { kind: 'unknown_modifier', text, at, name }
}

function parseMechanism(text: string, at: number): SpfMechanism {
  const [, sign = '', name = '', argument = ''] = MECHANISM.exec(text) ?? []
  const qualifier = (sign === '' ? '+' : sign) as SpfQualifier
  const written = { text, at, qualifier }
  const argumentAt = sign.length + name.length
  const kind = name.toLowerCase()
  switch (kind) {
    case 'all':
      if (argument !== '') throw new SpfSyntaxError('unexpected_argument', argumentAt, argument)
      return { kind, ...written }
    case 'include':
    case 'exists':
      return { kind, ...written, domainSpec: parseDomain(argument, argumentAt) }
    case 'ptr':
      if (argument === '') return { kind, ...written }
      return { kind, ...written, domainSpec: parseDomain(argument, argumentAt) }
    case 'a':
    case 'mx':
      return { kind, ...written, ...parseDomainAndPrefixes(argument, argumentAt) }
    case 'ip4':
    case 'ip6':
      return { kind, ...written, network: parseNetwork(kind, argument, argumentAt) }
    default:
      throw new SpfSyntaxError('unknown_mechanism', sign.length, name)
  }
}

/** ":" domain-spec */
function parseDomain(argument: string, at: number) {
  if (argument === '') throw new SpfSyntaxError('missing_domain', at, '')
  if (!argument.startsWith(':')) throw new SpfSyntaxError('unexpected_argument', at, argument)
  return within(at + 1, () => parseDomainSpec(argument.slice(1)))
}

/** [ ":" domain-spec ] [ dual-cidr-length ]. A name may contain "/", so the lengths are matched from the end. */
function parseDomainAndPrefixes(argument: string, at: number) {
  const match = DUAL_PREFIX_LENGTH.exec(argument)
  const domain = argument.slice(0, match?.index)
  const [, ip4, ip6] = match ?? []
  const ip4At = at + domain.length + 1
  const ip6At = ip4 === undefined ? ip4At + 1 : ip4At + ip4.length + 2
  const prefixes = {
    prefixLength4: parsePrefixLength(ip4, 4, ip4At),
    prefixLength6: parsePrefixLength(ip6, 6, ip6At),
  }
  return domain === '' ? prefixes : { ...prefixes, domainSpec: parseDomain(domain, at) }
}

/** ":" ip4-network [ ip4-cidr-length ], and the same for IPv6. */
function parseNetwork(kind: 'ip4' | 'ip6', argument: string, at: number): IpNetwork {
  if (!argument.startsWith(':')) throw new SpfSyntaxError(`bad_${kind}`, at, argument)
  const family = kind === 'ip4' ? 4 : 6
  const [, network = '', prefixLength] = /^:([^/]*)(?:\/(.*))?$/s.exec(argument) ?? []
  const address = family === 4 ? readIp4Address(network) : readIp6Address(network)
  if (address === undefined) throw new SpfSyntaxError(`bad_${kind}`, at + 1, argument.slice(1))
  return { address, prefixLength: parsePrefixLength(prefixLength, family, at + network.length + 2) }
}

/** "0" or a number without leading zeros; the whole address by default. */
function parsePrefixLength(text: string | undefined, family: 4 | 6, at: number): number {
  const width = widthOf(family)
  if (text === undefined) return width
  if (/^(?:0|[1-9][0-9]{0,2})$/.test(text) && Number(text) <= width) return Number(text)
  throw new SpfSyntaxError('bad_prefix_length', at, text)
}

/** Parses part of a term, and makes the position of an error relative to the term. */
function within<T>(at: number, parse: () => T): T {
  try {
    return parse()
  } catch (error) {
    if (error instanceof SpfSyntaxError) throw new SpfSyntaxError(error.code, at + error.at, error.text)
    throw error
  }
}
