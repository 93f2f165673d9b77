/** `start`: from the start of the process to its first response, with all events and with none. */

import { type ServerOptions, startServerProcess } from '../envelog/server-process.ts'
import type { Row } from '../report/row.ts'
import { judgeTurns } from './judge-turns.ts'

export async function compareStarts(full: ServerOptions, empty: ServerOptions, rounds: number): Promise<Row> {
  const start = (options: ServerOptions) => async () => {
    await using server = await startServerProcess(options)
    return server.startMs
  }
  await start(empty)()
  return judgeTurns('start', { rounds }, start(full), start(empty))
}
