/** A second start of the same installation, with host names and a brand: what depends on options and survives a restart. */
import { type Tour, targets } from './tour.ts'

export const HOST_OPTIONS = {
  ENVELOG_LOGS_HOST: 'logs.acme.test',
  ENVELOG_STATS_HOST: 'stats.acme.test',
  ENVELOG_PLATFORM_HOST: 'platform.acme.test',
  ENVELOG_BRAND: 'acme',
  ENVELOG_REPORT_PROOF: 'signed',
} as const

export async function askHosts(
  tour: Tour,
  cursors: { readonly webhooks: string; readonly events: string },
): Promise<void> {
  const { recorder } = tour
  const hosts = ['logs.acme.test', 'LOGS.acme.test.:8025', 'stats.acme.test', 'platform.acme.test', 'other.test']
  const paths = ['/webhooks/acme.test?limit=2', '/logs/acme.test?type=Click', '/domain/stats', '/api/v2/domain?take=1']
  for (const host of hosts) {
    for (const path of [...paths, '/v1/events?limit=2', '/healthz', '/docs', '/openapi/index.json']) {
      await recorder.ask('acme', `GET ${path}`, { note: `host ${host}`, headers: { host } })
    }
    await recorder.ask('nobody', 'GET /webhooks/acme.test', { note: `host ${host}`, headers: { host } })
  }
  const headers = { host: 'logs.acme.test' }
  const note = 'after a restart'
  await recorder.ask('acme', `GET /webhooks/acme.test?next_token=${cursors.webhooks}`, { note, headers })
  await recorder.ask('acme', `GET /v1/events?cursor=${cursors.events}`, { note })
  await recorder.askAll('acme', [
    ...targets('/v1/events', ['format=csv&q=order', 'format=ndjson&q=order', 'subject=order']),
    'GET /v1/session',
    'GET /v1/messages/message-0',
  ])
  const event = {
    id: 'branded',
    timestamp: tour.now - 5,
    type: 'Delivery',
    domain_name: 'acme.test',
    recipient: 'a@b.test',
  }
  const body = JSON.stringify([
    { ...event, acme_message_id: 'a' },
    { ...event, service_message_id: 'b' },
    { ...event, other_message_id: 'c' },
  ])
  await recorder.ask('ingest', 'POST /ingest/events', { note: 'branded', body })
  await recorder.ask('acme', 'GET /webhooks/acme.test?message_id=branded', { headers })
}
