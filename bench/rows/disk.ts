/** `disk`: bytes per event with all indexes, after the maintenance of both sides. */
import { globSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Peer } from '../peer/peer.ts'
import { judge, type Row } from '../report/row.ts'

/** Tenants, keys and domains. */
const NOT_EVENTS = /^control\.db/

export async function compareDisk(dataDir: string, peer: Peer, events: number): Promise<Row> {
  const files = globSync('**', { cwd: dataDir }).filter((name) => !NOT_EVENTS.test(name))
  const sizes = files.map((name) => statSync(join(dataDir, name))).filter((file) => file.isFile())
  const bytes = sizes.reduce((sum, { size }) => sum + size, 0)
  return judge('disk', bytes / events, (await peer.sizeBytes()) / events)
}
