/** Records an installation of a checkout from its first event to a second start. */
import { fetchDocuments, keepDocuments } from './documents.ts'
import { Installation } from './installation.ts'
import type { Line } from './line.ts'
import { Normalizer } from './normalizer.ts'
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
import { RouteTable } from './route-table.ts'
import { makeScene } from './scene.ts'

export interface Recording {
  readonly lines: readonly Line[]
  /** Documented routes that no request was answered by. */
  readonly uncovered: readonly string[]
}

export async function record(checkout: string, onProgress: (what: string) => void): Promise<Recording> {
  const normalizer = new Normalizer()
  await using installation = new Installation(checkout, normalizer)
  onProgress('tenants, keys and domains')
  const scene = await makeScene(installation, normalizer)
  const port = await installation.serve()
  const documents = await fetchDocuments(port)
  const routes = new RouteTable([...documents.values()])
  using recorder = new Recorder(port, scene.keys, routes, normalizer)
  const tour = { installation, recorder, normalizer, scene, now: installation.nowSeconds }
  keepDocuments(recorder, documents)
  const groups = {
    askIngest,
    askLogs,
    askEvents,
    askStats,
    askDomains,
    askSessions,
    askTracking,
    askStream,
    askAdmin,
    askPublic,
  }
  for (const [name, ask] of Object.entries(groups)) {
    onProgress(name)
    installation.step()
    await ask(tour)
  }
  await askTooManySignIns(tour)
  const page = await recorder.askJson<{ next_token: string }>('acme', 'GET /webhooks/acme.test?subject=order&limit=3')
  const events = await recorder.askJson<{ next: string }>('acme', 'GET /v1/events?subject=order&limit=3')
  onProgress('second start')
  recorder.moveTo(await installation.serve(HOST_OPTIONS))
  await askHosts(tour, { webhooks: page.next_token, events: events.next })
  return { lines: recorder.lines, uncovered: routes.listUncovered() }
}
