/** The metrics of a real server, and the alerts and the dashboard that use them. Needs promtool, from Debian's `prometheus`. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { EventStream } from '../harness/log/event-stream.ts'
import { LogClient } from '../harness/log/log-client.ts'
import { createTraffic } from '../harness/log/traffic.ts'
import { type Installation, openInstallation } from '../harness/programs/installation.ts'
import type { ServerProcess } from '../harness/programs/server-process.ts'
import { openTemporaryFolder } from '../harness/temporary-folder.ts'

const DEPLOY = join(import.meta.dirname, '../../deploy')
const RULES = join(DEPLOY, 'prometheus/envelog.rules.yml')
const RULE_TESTS = join(DEPLOY, 'prometheus/envelog.rules.test.yml')
const now = Math.floor(Date.now() / 1000)

interface Panel {
  readonly id: number
  readonly type: string
  readonly title: string
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
  readonly targets?: readonly { readonly expr: string }[]
}

const dashboard = JSON.parse(readFileSync(join(DEPLOY, 'grafana/envelog.json'), 'utf8')) as { readonly panels: Panel[] }
const dashboardExpressions = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))

let installation: Installation
let server: ServerProcess
let metrics: string

before(async () => {
  installation = await openInstallation()
  server = await installation.start()
  const client = new LogClient(server.address, installation)
  await client.ingest(createTraffic({ domains: installation.domains, now }).nextBatch(20, [0]))
  // Retention runs for the first time shortly after the start.
  do metrics = await scrape()
  while (!/^envelog_retention_last_run_timestamp_seconds [1-9]/m.test(metrics))
})

after(async () => {
  await server.stop()
  installation[Symbol.dispose]()
})

async function scrape(): Promise<string> {
  return (await fetch(`${server.address}/metrics`)).text()
}

function sampleOf(text: string, series: string): number {
  const line = text.split('\n').find((each) => each.startsWith(`${series} `))
  assert(line !== undefined, `${series} is not served`)
  return Number(line.slice(series.length + 1))
}

function promtool(...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync('promtool', args, { encoding: 'utf8', input: metrics })
  assert.equal(status, 0, `promtool ${args.join(' ')}: ${stdout}${stderr}`)
  return stdout + stderr
}

/** Names of series, as Prometheus stores them. */
function namesIn(expression: string): readonly string[] {
  const withoutTexts = expression.replaceAll(/"[^"]*"/g, '""')
  return [...withoutTexts.matchAll(/\b(?:envelog|process|nodejs)_\w+/g)].map(([name]) => name)
}

describe('metrics', () => {
  test('of a real server pass promtool', () => {
    // promtool finds fault with names of Node's own metrics, which everybody knows by these names.
    const own = metrics.split('\n').filter((line) => /^(# \w+ )?envelog_/.test(line))
    const { status, stdout, stderr } = spawnSync('promtool', ['check', 'metrics'], {
      encoding: 'utf8',
      input: `${own.join('\n')}\n`,
    })
    assert.equal(status, 0, stdout + stderr)
    assert.equal(stdout + stderr, '')
  })

  test('show the disk, the write-ahead logs, the newest event, commits, retention and the version', async () => {
    assert.ok(sampleOf(metrics, 'envelog_disk_free_bytes') > 0)
    assert.ok(sampleOf(metrics, 'envelog_disk_size_bytes') > sampleOf(metrics, 'envelog_disk_free_bytes'))
    assert.ok(sampleOf(metrics, 'envelog_storage_wal_bytes') > 0)
    const age = now - sampleOf(metrics, 'envelog_newest_event_timestamp_seconds')
    assert.ok(age > -86_400 && age < 86_400, `${age} s`)
    assert.ok(sampleOf(metrics, 'envelog_commit_duration_seconds_count') >= 1)
    assert.ok(sampleOf(metrics, 'envelog_commit_duration_seconds_sum') > 0)
    const sinceRun = Date.now() / 1000 - sampleOf(metrics, 'envelog_retention_last_run_timestamp_seconds')
    assert.ok(sinceRun >= 0 && sinceRun < 3600)
    assert.equal(sampleOf(metrics, 'envelog_retention_phase{phase="on_time"}'), 1)
    assert.equal(sampleOf(metrics, 'envelog_clock_offset_seconds'), 0)
    for (const kind of ['missing', 'emptied', 'foreign', 'newer', 'damaged', 'unreadable'])
      assert.equal(sampleOf(metrics, `envelog_storage_day_files_set_aside{kind="${kind}"}`), 0)
    assert.equal(sampleOf(metrics, 'envelog_tracking_journal_bytes'), 0)
    assert.match(metrics, /^envelog_build_info\{version="\d+\.\d+\.\d+",node="24\.\d+\.\d+"\} 1$/m)
  })

  test('count open streams, and those that have ended no longer', async () => {
    assert.equal(sampleOf(metrics, 'envelog_streams_open'), 0)
    {
      const headers = { authorization: installation.tenantKey }
      await using _stream = await EventStream.open(`${server.address}/v1/events/stream`, headers)
      assert.equal(sampleOf(await scrape(), 'envelog_streams_open'), 1)
    }
    for (let tries = 0; sampleOf(await scrape(), 'envelog_streams_open') > 0; tries++) {
      assert(tries < 200, 'the stream still counts as open')
      await delay(20)
    }
  })
})

describe('alerts', () => {
  const text = readFileSync(RULES, 'utf8')
  const alerts = [...text.matchAll(/- alert: (\w+)/g)].map(([, name = '']) => name)

  test('are valid', () => {
    assert.match(promtool('check', 'rules', RULES), new RegExp(`SUCCESS: ${alerts.length} rules found`))
  })

  test('fire when they should, and only then; each has a case', () => {
    promtool('test', 'rules', RULE_TESTS)
    const cases = readFileSync(RULE_TESTS, 'utf8')
    assert.ok(alerts.length > 20)
    for (const alert of alerts) assert.ok(cases.includes(`{alertname="${alert}", instance="${alert}"}`), alert)
  })

  test('use metrics that the server has', () => {
    const used = namesIn(text.replaceAll(/^ *(#|summary|description).*$/gm, ''))
    assert.ok(used.length > alerts.length)
    for (const name of used) assert.match(metrics, new RegExp(`^${name}[ {]`, 'm'), name)
  })
})

describe('the dashboard', () => {
  test('uses metrics that the server has, and shows all of its own', () => {
    const used = new Set(dashboardExpressions.flatMap(namesIn))
    for (const name of used) assert.match(metrics, new RegExp(`^${name}[ {]`, 'm'), name)
    const families = [...metrics.matchAll(/^# TYPE (envelog_\w+) /gm)].map(([, name = '']) => name)
    for (const family of families)
      assert.ok(
        [...used].some((name) => name.startsWith(family)),
        family,
      )
  })

  test('has valid expressions', () => {
    using folder = openTemporaryFolder()
    const rules = dashboardExpressions.map((expr, index) => ({
      record: `panel_${index}`,
      expr: expr.replaceAll('$__rate_interval', '5m'),
    }))
    const file = join(folder.path, 'panels.json')
    // JSON is YAML.
    writeFileSync(file, JSON.stringify({ groups: [{ name: 'panels', rules }] }))
    promtool('check', 'rules', file)
  })

  test('has panels with ids of their own that do not overlap', () => {
    const { panels } = dashboard
    assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length)
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, cell) => `${x + (cell % w)}:${y + Math.floor(cell / w)}`),
    )
    assert.equal(new Set(cells).size, cells.length)
    for (const { gridPos, title } of panels) assert.ok(gridPos.x + gridPos.w <= 24 && title !== '')
  })
})
