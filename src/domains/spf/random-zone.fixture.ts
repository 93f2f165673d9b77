/** Random zones full of SPF policies for property tests: few names and few addresses, so that they meet. */
import * as fc from 'fast-check'
import { readIpAddress, reverseNameOf, withoutIp4Mapping } from './ip-address.ts'
import { TIMEOUT, type Zone, type ZoneRecords } from './zone.fixture.ts'

export const CLIENTS = words('192.0.2.1 192.0.2.77 198.51.100.3 ::ffff:192.0.2.1 2001:db8::1 2001:db8:0:1::ff')
const REVERSE_NAMES = CLIENTS.map(reverseNameOfClient)
const DOMAINS = words('example.test one.test two.test Three.Example.test _spf.one.test 192.0.2.1.x.test')
const HOSTS = words('mail.example.test mx.one.test gone.test user.example.test a:b/c.test')
/** What macros make of the names: `exists:%{i}.example.test` and the like. */
const EXPANDED = words('192.0.2.1.example.test user.one.test')
const NAMES = [...DOMAINS, ...HOSTS, ...EXPANDED]
/** Always there and never matching: with these the limits are reached before anything else happens. */
const QUIET: Zone = {
  'quiet.test': {
    TXT: ['v=spf1 ip4:203.0.113.0/24 -all'],
    A: ['203.0.113.9'],
    AAAA: ['fe80::9'],
    MX: ['10 quiet.test'],
  },
  'why.test': { TXT: ['%{i} may not send as %{S}, says %{r} of %{p}'] },
}

const pick = (text: string) => fc.constantFrom(...words(text))
const join = (...parts: readonly fc.Arbitrary<string>[]) => fc.tuple(...parts).map((texts) => texts.join(''))
const weighted = <T>(...choices: readonly (readonly [weight: number, arbitrary: fc.Arbitrary<T>])[]) =>
  fc.oneof(...choices.map(([weight, arbitrary]) => ({ weight, arbitrary })))
const maybe = (arbitrary: fc.Arbitrary<string>) => weighted([2, fc.constant('')], [1, arbitrary])

const address4 = pick('192.0.2.1 192.0.2.64 192.0.2.200 198.51.100.3 203.0.113.9 0.0.0.0')
const address6 = pick('2001:db8::1 2001:DB8:: 2001:db8:0:1::ff ::192.0.2.1 ::ffff:192.0.2.1 fe80::1')
const prefix4 = maybe(pick('/32 /24 /25 /8 /0 /31'))
const prefix6 = maybe(pick('/128 /64 /0 /48 /1 /127'))

/**
 * Left out, because the RFC leaves open what it means:
 * - names that are malformed once expanded (section 4.8: the result is "undefined"): no macro here makes an empty label;
 * - %{p} for an address without PTR records: whether that is a void lookup beside the term's own. Section 4.6.4 limits
 *   "the number of terms", and others count both. Where %{p} is used, every client has PTR records or DNS is silent;
 * - %{t}, the time.
 */
const macro = pick('%{d} %{D} %{o} %{i} %{ir} %{v} %{h} %{l} %{l1r-} %{d2} %{dr} %{p} %{pr} %{s} %{S} %{l2+-}')
const domainSpec = weighted(
  [8, fc.constantFrom(...DOMAINS)],
  [3, fc.constantFrom(...HOSTS)],
  [2, join(macro, fc.constant('.'), fc.constantFrom(...DOMAINS))],
  [1, join(pick('user x _spf mail a:b/c 192'), pick('.%{d} .%{o} .%{d2} .%{h} .%{H}'))],
  [1, fc.constantFrom(...HOSTS).map((name) => `${name}.`)],
)
const argument = maybe(domainSpec.map((name) => `:${name}`))

const mechanism = weighted(
  [3, join(pick('ip4: IP4:'), address4, prefix4)],
  [2, join(pick('ip6: Ip6:'), address6, prefix6)],
  [
    4,
    join(
      pick('a mx A Mx'),
      argument,
      prefix4,
      prefix6.map((text) => (text === '' ? '' : `/${text}`)),
    ),
  ],
  [4, join(pick('include: Include:'), domainSpec)],
  [2, join(pick('exists: EXISTS:'), domainSpec)],
  [1, join(pick('ptr PTR'), argument)],
  [1, fc.constant('all')],
)
const directive = join(maybe(pick('+ - ~ ?')), mechanism)
const modifier = weighted(
  [3, join(pick('redirect= Redirect='), domainSpec)],
  [4, fc.constant('exp=why.test')],
  [1, join(pick('exp='), domainSpec)],
  [1, pick('foo= foo=bar default=+all a.b-c_d=%{c}:/= all=x include=x.test')],
)
const brokenSpec = weighted(
  [1, join(pick('% %{ %{x} %{d0} %{c} %{r} %{t} %a %{d %{d}} %{dd} %{d2r.x}'), pick('.example.test %%'))],
  [1, pick('test test. 192.0.2.1 x.-test x.test- x.1 x%.test x.test\u00e9 x.t\tst %{d}x x.%{d}x')],
)
const brokenTerm = weighted(
  [3, join(pick('include: a: mx: exists: ptr: redirect= exp= ip4: ip6:'), maybe(brokenSpec))],
  [1, pick('include exists ip4 ip6 all. all: all/8 redirect:x.test +redirect=x.test =x 1up=x - x v=spf1 foo=% \u200b')],
  [
    1,
    pick('ptr/24 a/ a// a/24/64 a:x.test/ mx/33 a//129 a/024 mx//01 include:x.test/24 ip4:192.0.2.1//24 ip4:1.1.1.1/'),
  ],
  [1, pick('ip4:192.0.2 ip4:192.0.2.256 ip4:192.0.02.1 ip6:2001:db8 ip6:::1:: ip6:192.0.2.1 ip6:::1//64 ip6:::g')],
)

const ending = weighted([2, fc.constant('')], [3, pick('all -all ~all ?ALL +all')])
const record = fc
  .tuple(
    pick('v=spf1 v=spf1 V=SPF1'),
    fc.array(weighted([80, directive], [12, modifier], [1, brokenTerm]), { maxLength: 6 }),
    ending,
    fc.constantFrom(' ', ' ', '  '),
  )
  .map(([version, terms, last, space]) => [version, ...terms, last].join(space))
/** Around the limit of ten lookups and of two void ones. */
const longRecord = fc
  .tuple(
    fc.array(
      weighted(
        [
          12,
          pick('a:quiet.test mx:quiet.test include:quiet.test -include:quiet.test ?a:quiet.test exists:quiet.invalid'),
        ],
        [1, directive],
      ),
      { minLength: 7, maxLength: 12 },
    ),
    weighted([3, ending], [1, pick('redirect=quiet.test redirect=one.test ip4:192.0.2.0/24')]),
  )
  .map(([terms, last]) => ['v=spf1', ...terms, last].join(' '))
const otherText = fc.constantFrom('v=spf10 -all', ' v=spf1 -all', 'v=spf1;-all', 'v=spf1\t-all', 'verify=1', '')

const silent = fc.constant<ZoneRecords>(TIMEOUT)
const txt = weighted<ZoneRecords>(
  [24, fc.tuple(record)],
  [6, fc.tuple(longRecord)],
  [2, fc.tuple(otherText, record)],
  [1, fc.tuple(record, record)],
  [1, fc.tuple(otherText)],
  [1, silent],
)
const listOf = (value: fc.Arbitrary<string>, maxLength: number) =>
  weighted<ZoneRecords>([30, fc.array(value, { minLength: 1, maxLength })], [1, silent])
const exchange = fc.tuple(fc.constantFrom(0, 10, 20), fc.constantFrom(...HOSTS)).map((parts) => parts.join(' '))
const orNone = <T>(freq: number, arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { freq, nil: undefined })
const recordsOfName = fc.record({
  TXT: orNone(30, txt),
  A: orNone(3, listOf(address4, 3)),
  AAAA: orNone(2, listOf(address6, 3)),
  MX: orNone(3, listOf(weighted([12, exchange], [1, fc.constant('0 .')]), 13)),
})

export const randomZone: fc.Arbitrary<Zone> = fc
  .record({
    forward: fc.tuple(...NAMES.map(() => orNone(20, recordsOfName))),
    reverse: fc.tuple(...CLIENTS.map(() => listOf(fc.constantFrom(...HOSTS, ...DOMAINS), 13))),
    hasReverse: fc.boolean(),
  })
  .map(({ forward, reverse, hasReverse }) => {
    const zone: Zone = { ...QUIET, ...zoneOf(NAMES, forward) }
    const usesReverse = hasReverse || /%\{p/i.test(JSON.stringify(zone))
    if (!usesReverse) return zone
    return {
      ...zone,
      ...zoneOf(
        REVERSE_NAMES,
        reverse.map((PTR) => ({ PTR })),
      ),
    }
  })

/**
 * The same without what depends on the message (`ptr`, `exists`, macros of the sender), without `all` that passes, and
 * with DNS that always answers: of such a zone everything can be said beforehand.
 */
export const randomStaticZone: fc.Arbitrary<Zone> = randomZone.map((zone) =>
  Object.fromEntries(
    Object.entries(zone).map(([name, records]) => {
      const known = Object.entries(records).filter(([, values]) => values !== TIMEOUT)
      return [
        name,
        Object.fromEntries(known.map(([type, values]) => [type, type === 'TXT' ? toStatic(values) : values])),
      ]
    }),
  ),
)

function toStatic(values: ZoneRecords): ZoneRecords {
  if (!Array.isArray(values)) return values
  return values.map((text: string) =>
    text
      .split(' ')
      .filter((term) => !/^[+~?-]?(?:ptr|exists)|%\{[^doDO]/i.test(term))
      .map((term) => term.replace(/^\+?all$/i, '~all'))
      .join(' '),
  )
}

function zoneOf(names: readonly string[], records: readonly (object | undefined)[]): Zone {
  const entries = names.map((name, index) => [name, withoutUndefined(records[index])] as const)
  return Object.fromEntries(entries.filter(([, found]) => found !== undefined)) as Zone
}

function withoutUndefined(records: object | undefined): object | undefined {
  return records && Object.fromEntries(Object.entries(records).filter(([, values]) => values !== undefined))
}

function reverseNameOfClient(client: string): string {
  const ip = readIpAddress(client)
  return ip === undefined ? '' : reverseNameOf(withoutIp4Mapping(ip))
}

function words(text: string): readonly string[] {
  return text.split(' ')
}
