/** The folders under test/verification-cases: a zone and the expected result of a check. */
import { createPublicKey } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DnsRecordPurpose, RequiredDnsRecord } from '../../../src/domains/domain.ts'
import { requiredRecords } from '../../../src/domains/records/required-records.ts'

export const CASES_FOLDER = join(import.meta.dirname, '../../verification-cases')

/** The contents of a case's files, with the domain that they are written for. */
export interface VerificationCase {
  /** `07-truncated-at-255`. */
  readonly folder: string
  /** The first line of `expected`: the situation in words. */
  readonly title: string
  /** The lines of `expected` by their keys, placeholders filled in. */
  readonly expected: ExpectedLines
  /** The zone that stands for example.com, unique to this case. */
  readonly apex: string
  /** Zone files by the server that serves them: `ns1`, `ns2`, `ns3` and `resolver`. */
  readonly zones: ReadonlyMap<CaseServer, string>
  /** Record types for which the resolver fails or does not answer. */
  readonly resolverFaults: ReadonlyMap<string, 'servfail' | 'silent'>
  readonly domainName: string
  readonly record: RequiredDnsRecord
  readonly records: readonly RequiredDnsRecord[]
  readonly sendingEmail?: string
}

export type ExpectedLines = ReadonlyMap<string, readonly string[]>

export const CASE_SERVERS = ['ns1', 'ns2', 'ns3', 'resolver'] as const
export type CaseServer = (typeof CASE_SERVERS)[number]

/** The domain that zone files are written for. */
export const WRITTEN_APEX = 'example.com'

/** The key that every case requires; its private half was not kept. */
const KEY = [
  'MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAoz1n9VkVx/0kswaEvCdJ55s86nVVvtzpQQOVn7oMxg8y0EtkaReq5q5y',
  'cPKel3VjEdml36XN021CxoLme6qwh5zovQyBWIC5SZeUmRHXERyN/A7JyqFmaO/Og64nD19dd3etJDlQAmSSFoMkP6KYAxcW8AHK',
  'FFqdfKPFNv4AWqLw9LXKQOA0Bj4u0XN4MT42YGZH0O7sOO7NmPUvSIB7VlF8Jvl7imHieANIOyx1L3vNAQr+RPEqQ9/vSSeek6yQ',
  '6o6R0iu2ZGHpt6ZIRBR4W6NEujesejQgzuTGylXA8BySNrydwqUqkkTG5gBQwRuBcEFTC4yTFdaHC2PSWEB6MQIDAQAB',
].join('')
const OTHER_KEY = [
  'MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAyOI7MXYhVyTDy1rMavB8Rljm/ffy4UkUOHo3tDZ2YYS9Rt487bF59Dvi',
  'TmelrsV3C0OnPAtdnpVYom/1PVd/YgOhSzIw9uEq2vUW++oH/VrMasIct2iOyaL5CHiTousgEHv7dhH6fKv+KuzpBJWgtEwB70cd',
  '1SN3zUQmogIhg2TMb+z97UzMb5sIwwGDpvxROvyqJHtwxN8z9ytkKeucNpMIbMiWFwJeCnUHduDd7xitolb54KJ+IlqTRtof7WZ/',
  'Tn5PFoJ/wv0Ep6DNIKiQtTiUN/JRjl9IQk0LOcc2Rh8b/H+s1/TafbR5x0DuIFWH/FEKC6nyIv9y2chnmYfZLwIDAQAB',
].join('')
const ED25519_SPKI = 'MCowBQYDK2VwAyEABiwzIfdj5uubi0IupRqsutz8Cz06VUPUFrYa1WhOUN0='

const SPKI = createPublicKey({ key: Buffer.from(KEY, 'base64'), type: 'spki', format: 'der' })
const ED25519_KEY = Buffer.from(ED25519_SPKI, 'base64').subarray(-32).toString('base64')

/** What `{{name}}` in a file stands for; `{{name:0-255}}` is a part of it, `{{name|strings}}` a TXT record's strings. */
const TEXTS: Readonly<Record<string, string>> = {
  key: KEY,
  'other-key': OTHER_KEY,
  'lower-case-key': KEY.toLowerCase(),
  'spaced-key': KEY.replaceAll('+', ' '),
  'plusless-key': KEY.replaceAll('+', ''),
  'encoded-key': encodeURIComponent(KEY),
  'pkcs1-key': SPKI.export({ type: 'pkcs1', format: 'der' }).toString('base64'),
  'ed25519-key': ED25519_KEY,
  'ed25519-spki': ED25519_SPKI,
  dkim: `v=DKIM1; k=rsa; p=${KEY}`,
  'ed25519-dkim': `v=DKIM1; k=ed25519; p=${ED25519_KEY}`,
}

const OPERATOR = {
  spfInclude: 'spf.operator.test',
  returnPath: { label: 'bounces', host: 'return.operator.test' },
  tracking: { label: 'links', host: 'links.operator.test' },
  mxHost: 'mx.operator.test',
}

/** Answers of the operator's own zone, the same for all cases. */
export const OPERATOR_ZONE = [
  'spf 300 TXT "v=spf1 ip4:192.0.2.0/24 -all"',
  'return 300 MX 10 mx',
  'return 300 TXT "v=spf1 ip4:192.0.2.0/24 -all"',
  'links 300 A 192.0.2.80',
  'links 300 AAAA 2001:db8::80',
  'mx 300 A 192.0.2.25',
].join('\n')

/** The other record that a check reads. */
const DEPENDS_ON: Partial<Record<DnsRecordPurpose, DnsRecordPurpose>> = { RETURN_PATH: 'SPF', DMARC: 'RETURN_PATH' }

export function listCases(): readonly VerificationCase[] {
  return readdirSync(CASES_FOLDER, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => readCase(name))
    .toSorted((one, other) => one.folder.localeCompare(other.folder))
}

export function readCase(folder: string): VerificationCase {
  const apex = `${folder.replace(/^\d+-/, '')}.test`
  const read = (file: string): string => {
    const text = readFileSync(join(CASES_FOLDER, folder, file), 'utf8')
    return fillIn(text).replaceAll(WRITTEN_APEX, apex)
  }
  const has = (file: string): boolean => existsSync(join(CASES_FOLDER, folder, file))
  const { title, lines } = readExpected(read('expected'))
  const zones = new Map<CaseServer, string>()
  for (const server of CASE_SERVERS) {
    const own = `zone.${server}`
    const file = has(own) ? own : 'zone'
    if (has(file)) zones.set(server, completeZone(read(file)))
  }
  const [domainName = apex] = lines.get('domain') ?? []
  const [check = ''] = lines.get('check') ?? []
  const all = listRecords(domainName, check)
  const record = all.find(({ purpose }) => purpose === check.split(' ')[0])
  if (!record) throw new Error(`${folder}: no record is for ${check}`)
  const records = all.filter(({ purpose }) => purpose === record.purpose || purpose === DEPENDS_ON[record.purpose])
  const [sendingEmail] = lines.get('sending') ?? []
  const faults = (lines.get('resolver-fault') ?? []).map((line) => line.split(' ') as [string, 'servfail' | 'silent'])
  return {
    folder,
    title,
    expected: lines,
    apex,
    zones,
    resolverFaults: new Map(faults),
    domainName,
    record,
    records,
    ...(sendingEmail !== undefined && { sendingEmail }),
  }
}

/** `DKIM any`, `SPF any`: no key to compare with, no required include. `DKIM ed25519`: an Ed25519 key. `SPF NAME`: another required include. */
function listRecords(domainName: string, check: string): readonly RequiredDnsRecord[] {
  const isEd25519 = check === 'DKIM ed25519'
  const key = {
    selector: 's1',
    publicKey: isEd25519 ? ED25519_KEY : KEY,
    algorithm: isEd25519 ? 'ed25519' : 'rsa',
  } as const
  const [, spfInclude = OPERATOR.spfInclude] = /^SPF (.*)$/.exec(check) ?? []
  const records = requiredRecords(domainName, key, { ...OPERATOR, spfInclude })
  const anything: Partial<Record<string, string>> = { 'DKIM any': 'v=DKIM1', 'SPF any': 'v=spf1 ~all' }
  return records.map((record) => ({
    ...record,
    value: anything[check] === undefined || !check.startsWith(record.purpose) ? record.value : anything[check],
  }))
}

function fillIn(text: string): string {
  return text.replace(
    /\{\{([a-z0-9-]+)(?::(\d+)-(\d*))?(\|strings)?\}\}/g,
    (all, name: string, from = '0', to = '', strings = '') => {
      const whole = TEXTS[name]
      if (whole === undefined) return all
      const part = whole.slice(Number(from), to === '' ? undefined : Number(to))
      return strings === '' ? part : part.replace(/.{1,255}/g, '"$&" ').trim()
    },
  )
}

/** The first line is a title; then `key: value`; a key may be repeated. */
function readExpected(text: string): { title: string; lines: ExpectedLines } {
  const [first = '', ...rest] = text.split('\n')
  const lines = new Map<string, string[]>()
  for (const line of rest.filter((candidate) => candidate !== '')) {
    const [, key = '', value = ''] = /^([a-z-]+): (.*)$/.exec(line) ?? []
    lines.set(key, [...(lines.get(key) ?? []), value])
  }
  return { title: first.replace(/^# /, ''), lines }
}

/** A zone without NS records gets one server that answers. Its negative answers may be cached for half an hour. */
function completeZone(text: string): string {
  const servers = /^@?\s.*\bNS\b/m.test(text) ? '' : '@ NS ns1\nns1 A 203.0.113.1\n'
  return `$TTL 300\n@ 3600 SOA ns1 hostmaster 1 3600 600 86400 1800\n${servers}${text}`
}

/** The inverse: the contents of a case in the format of its file. */
export function abbreviate(text: string, apex: string): string {
  const longestFirst = Object.entries(TEXTS).toSorted(([, one], [, other]) => other.length - one.length)
  const named = longestFirst.reduce((changed, [name, value]) => changed.replaceAll(value, `{{${name}}}`), text)
  const parts = named.replace(/[A-Za-z0-9+/=]{60,}/g, (part) => {
    const [name, whole = ''] = Object.entries(TEXTS).find(([, value]) => value.includes(part)) ?? []
    const from = whole.indexOf(part)
    return name === undefined ? part : `{{${name}:${from}-${from + part.length}}}`
  })
  return parts.replaceAll(apex, WRITTEN_APEX)
}
