/** The demo: a complete service with generated mail, in a temporary folder. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadConfig } from '../config/load-config.ts'
import type { Config } from '../config/options.ts'
import { readEnvironment } from '../config/read-environment.ts'
import { serve } from '../main.ts'
import { requireFreePort } from '../start-server.ts'
import { createDemoDns, type DemoZone } from './demo-dns.ts'
import { startLiveTrickle } from './live-trickle.ts'
import { type SeededDemo, seedDemo } from './seed-demo.ts'

const RETENTION_MS = 90 * 86_400_000

export async function runDemo({ isJson }: { readonly isJson: boolean }): Promise<void> {
  const settings = readSettings()
  await requireFreePort(settings)
  const config = demoConfig(settings, mkdtempSync(join(tmpdir(), 'envelog-demo-')))
  // Removes the folder however the process ends, even after a second signal.
  process.once('exit', () => rmSync(config.dataDir, { recursive: true, force: true }))
  process.stderr.write('Generating fifteen days of mail …\n')
  let demo: SeededDemo | undefined
  const zone: DemoZone = new Map()
  await serve(config, {
    dns: createDemoDns(zone),
    async prepare(service) {
      demo = await seedDemo(service, zone)
    },
    onListening(address, service) {
      if (!demo) return undefined
      process.stdout.write(isJson ? `${JSON.stringify(toJson(address, demo))}\n` : describe(address, demo))
      return startLiveTrickle(service, demo.domains, demo.upcoming)
    },
  })
}

/** Address and port are configurable; storage and retention are the demo's own. Logs only warnings by default. */
function readSettings(): Config {
  return loadConfig({ ENVELOG_LOG_LEVEL: 'warn', ...readEnvironment() })
}

function demoConfig(settings: Config, dataDir: string): Config {
  // Real reports must not be stored in a temporary folder.
  return {
    ...settings,
    storage: 'sqlite',
    dataDir,
    retentionMs: RETENTION_MS,
    spfInclude: 'spf.acme.example',
    smtpListen: undefined,
  }
}

function toJson(address: string, { tenantKey, ingestKey, adminKey, domains, storedEvents }: SeededDemo): object {
  return { address, key: tenantKey, ingestKey, adminKey, domains: domains.map(({ name }) => name), storedEvents }
}

function describe(address: string, { tenantKey, ingestKey, adminKey, storedEvents }: SeededDemo): string {
  const get = (path: string) => `  curl -H 'Authorization: ${tenantKey}' '${address}${path}'`
  return `
Envelog demo on ${address} with ${storedEvents.toLocaleString('en-US')} events of the tenant Acme; new events arrive every second.

  console        ${address}/
  API reference  ${address}/docs
  tenant key     ${tenantKey}
  operator keys  ${adminKey} (admin)
                 ${ingestKey} (ingest)

Sign in to the console with the tenant key to see the mail, with the admin key to see the installation.

The newest events of a domain, its bounces, one recipient:
${get('/webhooks/shop.acme.example?limit=5')}
${get('/webhooks/news.acme.example?type=Bounce&limit=5')}
${get('/webhooks/shop.acme.example?recipient=anna&limit=5')}

Domains with their DNS records, and the statistics:
${get('/api/v2/domain')}
${get('/domain/stats')}

All data is deleted when the demo ends. Stop it with Ctrl-C.
`
}
