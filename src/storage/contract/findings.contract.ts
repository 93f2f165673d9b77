/** Findings over the counts and events of every engine: a planted spike is found with all its particulars, noise is not. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { EmailEvent, EventExtension } from '../../events/event.ts'
import type { AttributedEvent } from '../../events/log/event-log.ts'
import type { LogDomain } from '../../events/log/log-query.ts'
import { createSeededRandom } from '../../lib/seeded-random.ts'
import { getFindings } from '../../stats/findings/get-findings.ts'
import { BASE_TIMESTAMP } from './event-arbitraries.ts'
import { BUDGET_MS, freshDomains, type OpenLog, type TestedLog } from './log-scene.ts'

const HOUR = 3600
const WEEK = 168 * HOUR
/** Half past an hour. */
const NOW = BASE_TIMESTAMP + 60 * 24 * HOUR + 14 * HOUR + HOUR / 2
const HOUR_OF_NOW = NOW - HOUR / 2

/** The mail of 24 hours: deliveries to two providers, and now and then an unknown user. */
function ordinaryMail(domain: LogDomain, endAt: number, seed: number): readonly AttributedEvent[] {
  const random = createSeededRandom(seed).next
  return Array.from({ length: 24 * 12 }, (_, index) => {
    const provider = random() < 0.7 ? 'Gmail' : 'Web.de'
    const fails = random() < 0.05
    const fields = fails
      ? ({
          type: 'Bounce',
          response_code: 550,
          response_content: 'user unknown',
          bounce_classification: 'InvalidRecipient',
        } as const)
      : ({ type: 'Delivery', response_code: 250 } as const)
    return eventOf(domain, `${endAt}-${index}`, endAt - Math.floor(index / 12) * HOUR - (index % 12), {
      provider_name: provider,
      ...fields,
    })
  })
}

function eventOf(
  { number, name }: LogDomain,
  id: string,
  timestamp: number,
  fields: Pick<EmailEvent, 'type'> & Partial<EmailEvent>,
  extension?: EventExtension,
): AttributedEvent {
  const event = { id, timestamp, domain_name: name, recipient: `${id}@b.test`, ...fields }
  return { domainNumber: number, event, ...(extension && { extension }) }
}

function spike(domain: LogDomain, count: number, hours: number): readonly AttributedEvent[] {
  return Array.from({ length: count }, (_, index) =>
    eventOf(
      domain,
      `spike-${index}`,
      HOUR_OF_NOW + 600 - (index % hours) * HOUR,
      {
        type: 'Bounce',
        provider_name: 'Web.de',
        bounce_classification: 'SpamBlock',
        response_code: 554,
        response_content: `5.7.1 Client host [192.0.2.${index}] listed at bl.example`,
      },
      { sending_address: '198.51.100.7' },
    ),
  )
}

const PROVIDERS = ['Gmail', 'Outlook', 'Web.de', 'Yahoo']
const ADDRESSES = ['203.0.113.7', '203.0.113.8', '203.0.113.9']

/** Deliveries from each address to each provider in each of 24 hours. */
function sentMail(domain: LogDomain, endAt: number): readonly AttributedEvent[] {
  return Array.from({ length: 24 }, (_, hour) =>
    ADDRESSES.flatMap((address) =>
      PROVIDERS.flatMap((provider_name) =>
        [0, 1, 2].map((index) => {
          const id = `${endAt}-${hour}-${address}-${provider_name}-${index}`
          const fields = { type: 'Delivery', provider_name } as const
          return eventOf(domain, id, endAt - hour * HOUR - 1, fields, { sending_address: address })
        }),
      ),
    ),
  ).flat()
}

/** Bounces of the last two hours: `each` at each provider from each address, of different classes. */
function refusals(
  domain: LogDomain,
  addresses: readonly string[],
  each: number,
  providers = PROVIDERS,
): readonly AttributedEvent[] {
  return addresses.flatMap((address) =>
    providers.flatMap((provider_name, at) =>
      Array.from({ length: each }, (_, index) =>
        eventOf(
          domain,
          `refused-${address}-${provider_name}-${index}`,
          HOUR_OF_NOW + 600 - (index % 2) * HOUR,
          {
            type: 'Bounce',
            provider_name,
            bounce_classification: at % 2 === 0 ? 'SpamBlock' : 'PolicyRelated',
            response_code: 554,
            response_content: `5.7.1 [${address}] is listed`,
          },
          { sending_address: address },
        ),
      ),
    ),
  )
}

async function find(log: TestedLog, domains: readonly LogDomain[], shown: 'attempts' | 'sending' = 'attempts') {
  const deps = { log, counts: log, clock: () => NOW * 1000, budgetMs: BUDGET_MS }
  return getFindings(deps, { tenantId: 'tenant', domains, shown, canReadLog: true })
}

export function findingsContract(open: OpenLog): void {
  describe('findings', () => {
    test('a spike is found with its provider, class, reply, time and domains, and nothing else is', async () => {
      await using storage = await open()
      const [one, two] = freshDomains()
      const [foreign] = freshDomains()
      const weeks = [0, 1, 2, 3].flatMap((week) => [
        ...ordinaryMail(one, HOUR_OF_NOW - week * WEEK, week + 1),
        ...ordinaryMail(two, HOUR_OF_NOW - week * WEEK, week + 11),
      ])
      await storage.log.append(weeks)
      const quiet = await find(storage.log, [one, two])
      assert.deepEqual(quiet.findings, [])
      assert.deepEqual(quiet.comparison, { basis: 'weeks', weeks: 3 })
      await storage.log.append([...spike(one, 60, 3), ...spike(two, 20, 3), ...spike(foreign, 500, 3)])
      // Another class, from another address, at the same provider and time.
      const unknown = { type: 'Bounce', provider_name: 'Web.de', bounce_classification: 'InvalidRecipient' } as const
      await storage.log.append(
        ['x', 'y', 'z'].map((id) => eventOf(one, id, HOUR_OF_NOW, unknown, { sending_address: '198.51.100.8' })),
      )
      const { findings } = await find(storage.log, [one, two], 'sending')
      const [finding] = findings
      assert.equal(findings.length, 1)
      assert(finding)
      const { figure, provider, classification, count, sinceMs, untilMs, domains, addresses, replies, usual } = finding
      assert.deepEqual([figure, provider, classification, count], ['bounced', 'Web.de', 'SpamBlock', 80])
      assert.deepEqual([sinceMs, untilMs], [(HOUR_OF_NOW - 2 * HOUR) * 1000, undefined])
      assert(usual < 10)
      assert.deepEqual(domains, {
        count: 2,
        largest: [
          { value: one.name, count: 60 },
          { value: two.name, count: 20 },
        ],
      })
      const text = '5.7.1 Client host [*] listed at bl.example'
      assert.deepEqual(addresses, [{ value: '198.51.100.7', count: 80 }])
      assert.deepEqual(replies, {
        replies: [{ code: 554, text, count: 80 }],
        counted: 80,
        unlisted: 0,
        addresses,
        isCut: false,
      })
      assert.deepEqual(
        (await find(storage.log, [one])).findings.map((found) => [found.count, found.addresses]),
        [[60, []]],
      )
    })

    test('a spike of one sending address at several providers is one finding about the address', async () => {
      await using storage = await open()
      const [one, two] = freshDomains()
      for (const week of [0, 1, 2]) await storage.log.append(sentMail(one, HOUR_OF_NOW - week * WEEK))
      const [blocked = ''] = ADDRESSES
      await storage.log.append([...refusals(one, [blocked], 40), ...refusals(two, [blocked], 10)])
      const { findings } = await find(storage.log, [one, two], 'sending')
      assert.deepEqual(
        findings.map(({ figure, address, provider, providers, classification, count, sinceMs }) => {
          return { figure, address, provider, providers, classification, count, sinceMs }
        }),
        [
          {
            figure: 'bounced',
            address: blocked,
            provider: undefined,
            providers: 4,
            classification: undefined,
            count: 200,
            sinceMs: (HOUR_OF_NOW - HOUR) * 1000,
          },
        ],
      )
      const [{ domains, addresses, replies } = {}] = findings
      assert.deepEqual(domains?.largest, [
        { value: one.name, count: 160 },
        { value: two.name, count: 40 },
      ])
      assert.deepEqual(addresses, [{ value: blocked, count: 200 }])
      assert.deepEqual(replies?.replies, [{ code: 554, text: '5.7.1 [*] is listed', count: 200 }])

      const hidden = await find(storage.log, [one, two])
      assert.deepEqual(
        hidden.findings.map(({ provider, address }) => `${provider} ${address}`).toSorted(),
        PROVIDERS.map((provider) => `${provider} undefined`),
      )
    })

    test('failures of all sending addresses, or at one provider, are findings about providers', async () => {
      await using storage = await open()
      const [one, two] = freshDomains()
      for (const domain of [one, two]) {
        for (const week of [0, 1, 2]) await storage.log.append(sentMail(domain, HOUR_OF_NOW - week * WEEK))
      }
      await storage.log.append([
        ...refusals(one, ADDRESSES, 20),
        ...refusals(two, ADDRESSES.slice(0, 1), 60, ['Yahoo']),
      ])
      const providersOf = async (domain: LogDomain) => {
        const { findings } = await find(storage.log, [domain], 'sending')
        assert(findings.every(({ address }) => address === undefined))
        return findings.map(({ provider = '' }) => provider).toSorted()
      }
      assert.deepEqual(await providersOf(one), PROVIDERS)
      assert.deepEqual(await providersOf(two), ['Yahoo'])
    })
  })
}
