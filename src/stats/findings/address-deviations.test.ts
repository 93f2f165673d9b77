import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { EVENT_TYPES, OTHER_ORIGINS } from '../../events/event.ts'
import { writeKind } from '../series.ts'
import { findAddressDeviations, type SpreadDeviation, settle } from './address-deviations.ts'
import type { FoundDeviation } from './find-deviations.ts'
import { KindCounts } from './kind-counts.ts'

const HOURS = 24
const ADDRESS = '203.0.113.7'

/** By address: deliveries in every hour, and bounces in the last two. */
function count(mail: Readonly<Record<string, readonly [delivered: number, bounced: number]>>): KindCounts {
  const counts = new KindCounts(0, HOURS)
  for (const [address, [delivered, bounced]] of Object.entries(mail)) {
    const keyOf = (type: 'Delivery' | 'Bounce') => writeKind(EVENT_TYPES.indexOf(type), address, '')
    for (let hour = 0; hour < HOURS; hour++) counts.add({ hour, key: keyOf('Delivery'), count: delivered })
    for (const hour of [22, 23]) if (bounced > 0) counts.add({ hour, key: keyOf('Bounce'), count: bounced })
  }
  return counts
}

async function addressesIn(mail: Parameters<typeof count>[0]): Promise<readonly string[]> {
  const now = count(mail)
  const found = await findAddressDeviations({ now, usual: [], elapsed: 1 }, now)
  return found.map(({ address }) => address)
}

describe('a sending address', () => {
  test('stands out if it fails and the others do not, also together with another one', async () => {
    assert.deepEqual(await addressesIn({ [ADDRESS]: [20, 50], b: [20, 0], c: [20, 1] }), [ADDRESS])
    assert.deepEqual(await addressesIn({ [ADDRESS]: [20, 50], b: [20, 40], c: [20, 1] }), [ADDRESS, 'b'])
  })

  test('does not if all fail alike, if there is no other, or if it is not known', async () => {
    assert.deepEqual(await addressesIn({ [ADDRESS]: [20, 50], b: [20, 40], c: [20, 45] }), [])
    assert.deepEqual(await addressesIn({ [ADDRESS]: [20, 50], b: [200, 300], c: [2, 9] }), [])
    assert.deepEqual(await addressesIn({ [ADDRESS]: [20, 50] }), [])
    assert.deepEqual(await addressesIn({ [ADDRESS]: [20, 50], b: [5, 0] }), [])
    assert.deepEqual(await addressesIn({ [OTHER_ORIGINS]: [20, 50], '': [20, 50], b: [20, 0] }), [])
  })
})

const HOURS_OF_SPIKE = { first: 20, last: 23, shareOfGroup: 0.5, shareOfAll: 0.1, isNew: false }

function atProvider(provider: string | undefined, excess: number, classification = 'SpamBlock'): FoundDeviation {
  return { ...HOURS_OF_SPIKE, figure: 'bounced', provider, classification, count: excess, usual: 0, score: excess }
}

function ofAddress(byProvider: Readonly<Record<string, number>>): SpreadDeviation {
  const values = Object.entries(byProvider).map(([value, events]) => ({ value, count: events }))
  const total = values.reduce((sum, { count: events }) => sum + events, 0)
  return {
    ...HOURS_OF_SPIKE,
    figure: 'bounced',
    address: ADDRESS,
    count: total,
    usual: 0,
    score: total,
    byProvider: values,
  }
}

function subjects(providers: readonly FoundDeviation[], address: SpreadDeviation): readonly string[] {
  return settle(providers, [address]).map(
    ({ address: own, provider = '*', classification = '*' }) => own ?? `${provider} ${classification}`,
  )
}

describe('the same failures by provider and by address are told once', () => {
  test('as the address, if it explains several providers', () => {
    const address = ofAddress({ Gmail: 100, Yahoo: 90, 'Web.de': 10 })
    assert.deepEqual(subjects([atProvider('Gmail', 110), atProvider('Yahoo', 90)], address), [ADDRESS])
    assert.deepEqual(subjects([atProvider(undefined, 210)], address), [ADDRESS])
    const [found] = settle([], [address])
    assert.deepEqual([found?.provider, found?.providers, found?.classification], [undefined, 3, undefined])
  })

  test('as the provider, if it is one, or if others fail there as well', () => {
    assert.deepEqual(subjects([atProvider('Gmail', 100)], ofAddress({ Gmail: 100 })), ['Gmail SpamBlock'])
    const two = [atProvider('Gmail', 300), atProvider('Yahoo', 200)]
    assert.deepEqual(subjects(two, ofAddress({ Gmail: 100, Yahoo: 90 })), ['Gmail SpamBlock', 'Yahoo SpamBlock'])
    assert.deepEqual(subjects([atProvider(undefined, 500)], ofAddress({ Gmail: 100, Yahoo: 90 })), ['* SpamBlock'])
  })

  test('and other troubles remain: another provider, class, time or figure', () => {
    const address = ofAddress({ Gmail: 100, Yahoo: 100 })
    const ofBoth = [atProvider('Gmail', 100), atProvider('Yahoo', 100)]
    const others = [
      atProvider('GMX', 50),
      atProvider('Gmail', 40, 'BadList'),
      { ...atProvider('Gmail', 30, 'Earlier'), first: 2, last: 5 },
      { ...atProvider('Yahoo', 20, 'Deferred'), figure: 'deferred' as const },
    ]
    assert.deepEqual(subjects([...ofBoth, ...others], address), [
      ADDRESS,
      'GMX SpamBlock',
      'Gmail BadList',
      'Gmail Earlier',
      'Yahoo Deferred',
    ])
  })

  test('and an address that no provider shows is told with its only provider', () => {
    const [found] = settle([], [ofAddress({ Gmail: 60 })])
    assert.deepEqual([found?.address, found?.provider, found?.providers], [ADDRESS, 'Gmail', undefined])
  })
})
