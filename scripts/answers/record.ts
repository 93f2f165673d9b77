/** Records an installation of a checkout from its first event to a second start. */
import type { Line } from './compare.ts'
import { Installation } from './installation.ts'
import { Normalizer } from './normalizer.ts'
import { fetchDocuments, keepDocuments, RouteTable } from './openapi.ts'
import { Recorder } from './recorder.ts'
import { askAdmin } from './requests/admin.ts'
import { askDomains } from './requests/domains.ts'
import { askEvents, askStream } from './requests/events.ts'
import { askHosts, HOST_OPTIONS } from './requests/hosts.ts'
import { askIngest } from './requests/ingest.ts'
import { askLogs } from './requests/logs.ts'
import { askPublic, askTracking } from './requests/public.ts'
import { askSessions, askTooManySignIns } from './requests/sessions.ts'
import { askStats } from './requests/stats.ts'
import { makeScene } from './scene.ts'

export interface Recording {
  readonly lines: readonly Line[]
  /** Documented routes without a successful answer. */
  readonly uncovered: readonly string[]
}

const READING = [askIngest, askLogs, askEvents, askStats, askDomains]
const CHANGING = [askSessions, askTracking, askStream, askAdmin, askPublic, askTooManySignIns]

export async function record(checkout: string, onProgress: (what: string) => void): Promise<Recording> {
  const normalizer = new Normalizer()
  await using installation = new Installation(checkout, normalizer)
  onProgress('tenants, keys and domains')
  const scene = await makeScene(installation, normalizer)
  const address = await installation.serve()
  const documents = await fetchDocuments(address)
  const routes = new RouteTable([...documents.values()])
  const recorder = new Recorder(address, scene.keys, routes, normalizer)
  const tour = { installation, recorder, routes, normalizer, scene, now: installation.nowSeconds }
  keepDocuments(recorder, documents)
  for (const ask of [...READING, ...CHANGING]) {
    onProgress(ask.name)
    installation.step()
    await ask(tour)
  }
  const page = await recorder.askJson<{ next_token: string }>('acme', 'GET /webhooks/acme.test?subject=order&limit=3')
  const events = await recorder.askJson<{ next: string }>('acme', 'GET /v1/events?subject=order&limit=3')
  onProgress('second start')
  recorder.address = await installation.serve(HOST_OPTIONS)
  await askHosts(tour, { webhooks: page.next_token, events: events.next })
  return { lines: recorder.lines, uncovered: routes.listUncovered() }
}
