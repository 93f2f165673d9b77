/** The second step: both sides at rest, the same questions to both. */
import { createSeededRandom } from '../src/demo/seeded-random.ts'
import { EnvelogSide } from './envelog-side.ts'
import { openFolder } from './installation.ts'
import type { Loaded } from './loading.ts'
import type { Peer } from './peer/peer.ts'
import { say } from './progress.ts'
import type { Row } from './row.ts'
import { compareDisk } from './rows/disk.ts'
import { compareAnswers } from './rows/queries.ts'
import { makeQuestions, QUERY_ROWS } from './rows/questions.ts'
import { measureShortNeedle } from './rows/short-needle.ts'
import { compareStats } from './rows/stats.ts'
import type { Run } from './run.ts'

export async function askBothSides(run: Run, peer: Peer, { events, samples }: Loaded): Promise<readonly Row[]> {
  const { installation, window, options } = run
  say('the peer cleans up: vacuum, analyze, counts')
  await peer.settle()
  const rows: Row[] = []
  if (run.wants('disk')) rows.push(await compareDisk(installation.dataDir, peer, events))

  const service = await openFolder(installation.dataDir)
  try {
    const ours = new EnvelogSide(service.storage.events, installation.domains)
    const source = { samples, window, random: createSeededRandom(options.seed) }
    for (const name of QUERY_ROWS) {
      // Made for every row, so that a row asks the same whichever others are wanted.
      const questions = makeQuestions(name, source)
      if (!run.wants(name)) continue
      say(name)
      rows.push(await compareAnswers(name, questions, ours, peer))
    }
    if (run.wants('short_needle')) rows.push(await measureShortNeedle(ours, peer, window))
    if (run.wants('stats')) rows.push(await compareStats(service, installation.tenantId, peer))
    return rows
  } finally {
    await service.close()
  }
}
