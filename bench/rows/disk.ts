/** `disk`: bytes per event with all indexes, after both sides have finished what they had put off. */
import { globSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Peer } from '../peer/peer.ts'
import { judge, type Row } from '../row.ts'

/** Tenants, keys and domains are no events. */
const NOT_EVENTS = /^control\.db/

export async function compareDisk(dataDir: string, peer: Peer, events: number): Promise<Row> {
  const files = globSync('**', { cwd: dataDir }).filter((name) => !NOT_EVENTS.test(name))
  const sizes = files.map((name) => statSync(join(dataDir, name))).filter((file) => file.isFile())
  const bytes = sizes.reduce((sum, { size }) => sum + size, 0)
  return judge('disk', bytes / events, (await peer.sizeBytes()) / events)
}
