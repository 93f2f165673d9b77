/** A second start of the same installation, with host names and a brand: what depends on options, and what survives a restart. */
import { listOf } from '../request-table.ts'
import type { Tour } from './tour.ts'

export const HOST_OPTIONS = {
  ENVELOG_LOGS_HOST: 'logs.acme.test',
  ENVELOG_STATS_HOST: 'stats.acme.test',
  ENVELOG_PLATFORM_HOST: 'platform.acme.test',
  ENVELOG_BRAND: 'acme',
  ENVELOG_REPORT_PROOF: 'signed',
} as const

const HOSTS = ['logs.acme.test', 'LOGS.acme.test.:8025', 'stats.acme.test', 'platform.acme.test', 'other.test']
const PATHS = listOf(`
  /webhooks/acme.test?limit=2  /logs/acme.test?type=Click  /domain/stats  /api/v2/domain?take=1
  /v1/events?limit=2  /healthz  /docs  /openapi/index.json
`)

export async function askHosts(
  { recorder, now }: Tour,
  cursors: { readonly webhooks: string; readonly events: string },
): Promise<void> {
  for (const host of HOSTS) {
    const options = { note: `host ${host}`, headers: { host } }
    for (const path of PATHS) await recorder.ask('acme', `GET ${path}`, options)
    await recorder.ask('nobody', 'GET /webhooks/acme.test', options)
  }
  const headers = { host: 'logs.acme.test' }
  const note = 'after a restart'
  await recorder.ask('acme', `GET /webhooks/acme.test?next_token=${cursors.webhooks}`, { note, headers })
  await recorder.ask('acme', `GET /v1/events?cursor=${cursors.events}`, { note })
  await recorder.askTable(`
acme GET /v1/events format={csv,ndjson}&q=order subject=order
acme GET /v1/{session,messages/message-0}
`)
  const event = { timestamp: now - 5, type: 'Delivery', domain_name: 'acme.test', recipient: 'a@b.test' }
  const ids = [{ acme_message_id: 'a' }, { service_message_id: 'b' }, { other_message_id: 'c' }]
  const body = ids.map((id) => ({ id: 'branded', ...event, ...id }))
  await recorder.ask('ingest', 'POST /ingest/events', { note: 'branded', body })
  await recorder.ask('acme', 'GET /webhooks/acme.test?message_id=branded', { headers })
}
