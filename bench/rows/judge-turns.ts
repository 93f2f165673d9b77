/** A row whose two figures are measured in turns. */
import { type Rounds, takeTurns } from '../load/figures.ts'
import { judge, type Row, type RowName } from '../report/row.ts'

type Measure = () => Promise<number>

export async function judgeTurns(name: RowName, rounds: Rounds, ours: Measure, peers: Measure): Promise<Row> {
  const figures = await takeTurns(rounds, ours, peers)
  return judge(name, figures.ours, figures.peer)
}
