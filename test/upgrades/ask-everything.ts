/** Every kind of answer of a storage, as JSON that can be compared between versions. */
import type { LogDomain, LogFilters } from '../../src/events/log/log-query.ts'
import { listAll, listMessage, queryOf } from '../../src/storage/contract/log-scene.ts'
import type { Storage } from '../../src/storage/storage.ts'
import { DAY, DAYS, DOMAINS, FIRST } from './traffic.ts'

const FILTERS: Readonly<Record<string, LogFilters>> = {
  all: {},
  type: { types: ['Bounce', 'Click'] },
  code: { codes: [{ from: 500, to: 599 }] },
  provider: { providers: ['Google'] },
  classification: { classifications: ['InvalidRecipient'] },
  recipient: { recipient: 'NNA2@example.n' },
  sender: { sender: 'bounces+3' },
  from: { from: 'grüße' },
  subject: { subject: '% _'.replace(' ', '') },
  umlaut: { subject: 'ÜBER 30 €' },
  anyText: { anyText: '"quoted" \\' },
  messageId: { messageId: 'message-2-0-1' },
}

const HOURS = { fromHour: FIRST / 3600, toHour: (FIRST + DAYS * DAY) / 3600 }

export async function askEverything(storage: Storage): Promise<unknown> {
  const { log, control } = storage
  const answers: Record<string, unknown> = {}
  for (const domains of [...DOMAINS.map((domain) => [domain]), DOMAINS]) {
    const name = domains.map((domain) => domain.name).join(', ')
    for (const [filter, filters] of Object.entries(FILTERS)) {
      answers[`${name}: ${filter}`] = await listAll(log, queryOf(domains, 7, filters))
    }
    answers[`${name}: message`] = await listMessage(log, domains, 'message-4-1-0')
    answers[`${name}: series`] = await listSeries(storage, domains)
  }
  answers['counts'] = [...(await log.counts(DOMAINS.map(({ number }) => number)))].sort(([a], [b]) => a - b)
  answers['newest'] = await log.findNewestTimestamp()
  answers['tenants'] = await control.keys.listTenants()
  answers['keys'] = (await control.keys.listKeys()).map(({ id, tenant, scopes }) => ({ id, tenant, scopes }))
  answers['domains'] = await Promise.all(
    ['tenant-0', 'tenant-1'].map((tenantId) => control.domains.listNames(tenantId)),
  )
  answers['quarantined'] = await control.quarantine.count()
  answers['days'] = (await storage.capabilities.days?.list())?.map(({ day, events }) => ({ day, events }))
  return JSON.parse(JSON.stringify(answers))
}

async function listSeries({ log }: Storage, domains: readonly LogDomain[]) {
  const groups = ['type', 'provider', 'classification', 'domain'] as const
  const domainNumbers = domains.map(({ number }) => number)
  const series: Record<string, readonly string[]> = {}
  for (const group of groups) {
    const found: string[] = []
    for await (const counts of log.series({ domainNumbers, filters: {}, group, ...HOURS })) {
      found.push(...counts.map(({ hour, key, count }) => `${hour} ${key} ${count}`))
    }
    series[group] = found.sort()
  }
  return series
}
