/** `start`: from the start of the process to the first answer, with all the events and with none. */
import { takeTurns } from '../measure.ts'
import { judge, type Row } from '../row.ts'
import { type ServerOptions, startServerProcess } from '../server-process.ts'

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
