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
      assert.deepEqual(replies, { replies: [{ code: 554, text, count: 80 }], counted: 80, unlisted: 0, isCut: false })
      assert.deepEqual(addresses, [{ value: '198.51.100.7', count: 80 }])
      assert.deepEqual(
        (await find(storage.log, [one])).findings.map((found) => [found.count, found.addresses]),
        [[60, []]],
      )
    })
  })
}
