/** What has to be true once everything is back: all replicas, listings, statistics and series agree. */
import assert from 'node:assert/strict'
import type { SeveralServers } from '../programs/several-servers.ts'
import { compareReplicas } from './compare-replicas.ts'
import { type ReaderOptions, walk } from './readers.ts'

interface Stats {
  readonly domains: Readonly<Record<string, { readonly counts: object }>>
}

interface Series {
  readonly times: readonly string[]
  readonly series: readonly { readonly key: string; readonly counts: readonly number[] }[]
}

/** Lists all events of the window once more. */
export async function checkInstallation(
  { cluster, env, domains }: SeveralServers,
  readers: ReaderOptions,
  window: Readonly<Record<string, string>>,
  report: (text: string) => void,
): Promise<void> {
  const { balanced, tenantKey } = readers
  const init = { headers: { authorization: tenantKey } }
  const stored = await compareReplicas(cluster, env['ENVELOG_CLICKHOUSE_DATABASE'] ?? '', report)
  report(`${stored} events on every replica of their shards`)
  const stats = JSON.parse(await balanced.request('/domain/stats', init)) as Stats
  const listed = await Promise.all(
    domains.map(async (domain) => {
      const hours = await walk(readers, domain, window)
      const count = (type: string) => sum([...hours].filter(([key]) => key.startsWith(`${type} `)))
      const counts = { bounce: count('Bounce'), delivery: count('Delivery'), reception: count('Reception') }
      assert.deepEqual(stats.domains[domain]?.counts, counts, `statistics of ${domain}`)
      const from = new Date(Number(window['start_timestamp']) * 1000).toISOString()
      const query = new URLSearchParams({ domain, bucket: 'hour', group: 'type', from })
      const series = JSON.parse(await balanced.request(`/v1/stats/series?${query.toString()}`, init)) as Series
      assert.deepEqual(toHours(series), Object.fromEntries(hours), `series of ${domain}`)
      return sum(hours)
    }),
  )
  const all = listed.reduce((total, n) => total + n, 0)
  assert.equal(all, stored)
  report(`${all} events listed, counted and in the series`)
}

/** Numbers of events by type and hour, as a walk returns them. */
function toHours({ times, series }: Series): Readonly<Record<string, number>> {
  const hourOf = (index: number) => Math.floor(new Date(times[index] ?? '').getTime() / 3_600_000)
  const counted = series.flatMap(({ key, counts }) => counts.map((n, index) => [`${key} ${hourOf(index)}`, n] as const))
  return Object.fromEntries(counted.filter(([, n]) => n !== 0))
}

function sum(counts: Iterable<readonly [string, number]>): number {
  return [...counts].reduce((total, [, n]) => total + n, 0)
}
