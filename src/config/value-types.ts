/** The kinds of values an option can have: how each is parsed, and the words for what is allowed. */
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { isIP, isIPv6 } from 'node:net'
import { resolve } from 'node:path'
import { DURATION_FORM, formatDuration, parseDuration } from '../lib/duration.ts'
import { isNetwork, Networks } from '../lib/net/networks.ts'
import { parseSecrets, readSecrets } from '../lib/sealing/secret-text.ts'

export interface ValueType<T> {
  /** Completes "Allowed: …". */
  readonly allowed: string
  /** Such values are never printed. */
  readonly isHidden?: boolean | ((text: string) => boolean)
  /** Throws with a text that continues the sentence "the value …". */
  parse(text: string): T
}

/** What may be printed of a value. */
export function showValue({ isHidden = false }: ValueType<unknown>, text: string): string | undefined {
  return (typeof isHidden === 'function' ? isHidden(text) : isHidden) ? undefined : text
}

export function wholeNumber(range: { min: number; max: number; note?: string }): ValueType<number> {
  const note = range.note === undefined ? '' : `; ${range.note}`
  return {
    allowed: `a whole number from ${range.min} to ${range.max}${note}`,
    parse(text) {
      if (!/^-?\d+$/.test(text)) throw new Error('is not a whole number')
      const value = Number(text)
      if (value < range.min || value > range.max) throw new Error('is out of range')
      return value
    },
  }
}

const RATE_MAX = 1_000_000_000

/** Undefined for no limit. */
export const requestRate: ValueType<number | undefined> = {
  allowed: `a whole number from 1 to ${RATE_MAX}, or off for no limit`,
  parse(text) {
    if (text === 'off') return undefined
    if (!/^\d+$/.test(text)) throw new Error('is neither a whole number nor off')
    const value = Number(text)
    if (value < 1 || value > RATE_MAX) throw new Error('is out of range')
    return value
  },
}

export function duration(range: { atLeastMs: number; atMostMs: number }): ValueType<number> {
  return {
    allowed: `${DURATION_FORM}, from ${formatDuration(range.atLeastMs)} to ${formatDuration(range.atMostMs)}`,
    parse(text) {
      const valueMs = parseDuration(text)
      if (valueMs < range.atLeastMs) throw new Error('is too short')
      if (valueMs > range.atMostMs) throw new Error('is too long')
      return valueMs
    },
  }
}

export function oneOf<const T extends string>(names: readonly T[]): ValueType<T> {
  return {
    allowed: names.join(', '),
    parse(text) {
      const value = names.find((name) => name === text)
      if (value !== undefined) return value
      throw new Error('is not known')
    },
  }
}

export function someOf<const T extends string>(names: readonly T[]): ValueType<readonly T[]> {
  return {
    allowed: `one or more of ${names.join(', ')}, separated by commas`,
    parse: (text) => parseList(text, 'known', (entry) => names.find((name) => name === entry)),
  }
}

/** `parseEntry` returns undefined for an entry that is not `what`. */
function parseList<T>(text: string, what: string, parseEntry: (entry: string) => T | undefined): readonly T[] {
  return text.split(',').map((part) => {
    const entry = part.trim()
    if (entry === '') throw new Error('has an empty entry')
    const value = parseEntry(entry)
    if (value === undefined) throw new Error(`has an entry that is not ${what}: "${entry}"`)
    return value
  })
}

/** RFC 1123 section 2.1: letters, digits and inner hyphens, labels of 63, 253 in all. */
const HOST_NAME = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/

export const hostName: ValueType<string> = {
  allowed: 'a host name without scheme, port or path, such as logs.example.com',
  parse(text) {
    if (text.includes('://')) throw new Error('is a URL, not a host name')
    const name = text.toLowerCase()
    if (!HOST_NAME.test(name)) throw new Error('is not a host name')
    return name
  },
}

export const hostNames: ValueType<readonly string[]> = {
  allowed: 'host names separated by commas',
  parse: (text) =>
    parseList(text, 'a host name', (entry) => {
      const name = entry.toLowerCase()
      return HOST_NAME.test(name) ? name : undefined
    }),
}

export const dnsLabel: ValueType<string> = {
  allowed: 'letters, digits and inner hyphens, at most 63 characters, no dot',
  parse(text) {
    const label = text.toLowerCase()
    if (!HOST_NAME.test(label) || label.includes('.')) throw new Error('is not a single DNS label')
    return label
  },
}

export const listenAddress: ValueType<string> = {
  allowed: 'an IP address or host name of this machine, such as 127.0.0.1, 0.0.0.0 or ::',
  parse(text) {
    if (isIP(text) === 0 && !HOST_NAME.test(text.toLowerCase()))
      throw new Error('is neither an IP address nor a host name')
    return text
  },
}

export const networks: ValueType<Networks> = {
  allowed: 'IP addresses and networks separated by commas, such as 127.0.0.1,10.0.0.0/8,2001:db8::/32',
  parse: (text) =>
    new Networks(parseList(text, 'an IP address or network', (entry) => (isNetwork(entry) ? entry : undefined))),
}

export interface HostAndPort {
  readonly host: string
  readonly port: number
}

export const hostAndPort: ValueType<HostAndPort> = {
  allowed:
    'an address of this machine and a port, such as 127.0.0.1:2525, 0.0.0.0:25 or [::]:25; port 0 picks a free one',
  parse(text) {
    const [, bracketed, plain, digits = ''] = /^(?:\[([^\]]*)\]|([^:[\]]*)):(\d{1,5})$/.exec(text) ?? []
    const isHost = bracketed === undefined ? HOST_NAME.test((plain ?? '').toLowerCase()) : isIPv6(bracketed)
    if (!isHost) throw new Error('is not an address and a port')
    const port = Number(digits)
    if (port > 65_535) throw new Error('has a port above 65535')
    return { host: bracketed ?? plain ?? '', port }
  },
}

/** `192.0.2.1`, `192.0.2.1:5353`, `2001:db8::1`, `[2001:db8::1]:5353`: as node:dns accepts them. */
export const dnsServers: ValueType<readonly string[]> = {
  allowed:
    'IP addresses separated by commas, each with an optional :port, IPv6 with a port in brackets, such as 192.0.2.1:53,[2001:db8::1]:53',
  parse: (text) => parseList(text, 'an IP address', (entry) => (isDnsServer(entry) ? entry : undefined)),
}

function isDnsServer(server: string): boolean {
  const [, bracketed, plain, port] = /^(?:\[([^\]]*)\]|([^:]*))(?::(\d{1,5}))?$/.exec(server) ?? []
  if (bracketed === undefined && plain === undefined) return isIPv6(server)
  const isAddress = bracketed === undefined ? isIP(plain ?? '') === 4 : isIPv6(bracketed)
  return isAddress && (port === undefined || (Number(port) >= 1 && Number(port) <= 65_535))
}

export const brandName: ValueType<string> = {
  allowed: 'lowercase letters and digits, starting with a letter, at most 32 characters',
  parse(text) {
    if (!/^[a-z][a-z0-9]{0,31}$/.test(text)) throw new Error('is not a brand name')
    return text
  },
}

export const folder: ValueType<string> = {
  allowed: 'a path; relative paths start at the current folder',
  parse: (text) => resolve(text),
}

/** Several during a rotation; see `DataSecret`. */
export const secrets: ValueType<readonly Buffer[]> = {
  allowed:
    '64 hexadecimal digits, such as openssl rand -hex 32 prints; during a rotation the new and the old ones, separated by commas',
  isHidden: true,
  parse: parseSecrets,
}

/** The path, because the file is read again for each rotation. Checked here, so that a wrong file is a configuration error. */
export const secretsFile: ValueType<string> = {
  allowed:
    'a path to a file with 64 hexadecimal digits, such as openssl rand -hex 32 prints; during a rotation the new and the old ones, one per line',
  parse(text) {
    const path = resolve(text)
    try {
      readSecrets(path)
    } catch (error) {
      if (!(error instanceof Error && 'code' in error)) throw error
      throw new Error(`cannot be read: ${error.message}`)
    }
    return path
  },
}

/** Read and checked with the rest of the configuration. `parse` throws with a text that continues the sentence "the file …". */
export function jsonFile<T>(content: string, parse: (json: string) => T): ValueType<T> {
  return {
    allowed: `a path to a JSON file with ${content}`,
    parse: (text) => parse(readText(text)),
  }
}

/** PEM, as ACME clients write it. Checked here, so that a wrong file is a configuration error. */
export const certificateFile: ValueType<string> = {
  allowed: 'a path to a PEM file with the private key, the certificate and its chain',
  parse(text) {
    const pem = readText(text)
    if (!isCertificateWithKey(pem)) throw new Error('does not contain a certificate and its private key')
    return pem
  },
}

function isCertificateWithKey(pem: string): boolean {
  try {
    return new X509Certificate(pem).checkPrivateKey(createPrivateKey(pem))
  } catch {
    return false
  }
}

function readText(path: string): string {
  try {
    return readFileSync(resolve(path), 'utf8')
  } catch (error) {
    throw new Error(`cannot be read: ${error instanceof Error ? error.message : String(error)}`)
  }
}
