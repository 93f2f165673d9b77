/** `start`: from the start of the process to its first response, with all events and with none. */

import { type ServerOptions, startServerProcess } from '../envelog/server-process.ts'
import { takeTurns } from '../load/figures.ts'
import { judge, type Row } from '../report/row.ts'

export async function compareStarts(full: ServerOptions, empty: ServerOptions, rounds: number): Promise<Row> {
  const start = async (options: ServerOptions) => {
    await using server = await startServerProcess(options)
    return server.startMs
  }
  await start(empty)
  const figures = await takeTurns(
    { rounds },
    () => start(full),
    () => start(empty),
  )
  return judge('start', figures.ours, figures.peer)
}
