/** The rows that ask both sides the same question: first whether they give the same answer, then how long they take. */
import { median, takeTurns, timed } from '../measure.ts'
import { type PreparedQuestion, type Question, requireSameAnswer, type Side } from '../question.ts'
import { judge, type Row } from '../row.ts'
import type { QueryRow } from './questions.ts'

/** Many, so that both sides are warm: a server's code has been compiled, a database's plans have been made. */
const ROUNDS = 75
const ENOUGH_MS = 15_000

export async function compareAnswers(
  row: QueryRow,
  questions: readonly Question[],
  ours: Side,
  peer: Side,
): Promise<Row> {
  const prepared = { ours: [] as PreparedQuestion[], peer: [] as PreparedQuestion[] }
  let found = 0
  for (const question of questions) {
    const [mine, theirs] = [await ours.prepare(question), await peer.prepare(question)]
    const answer = mine.read(await mine.ask())
    requireSameAnswer(row, question, answer, theirs.read(await theirs.ask()))
    found += answer.events.length
    prepared.ours.push(mine)
    prepared.peer.push(theirs)
  }
  requireMeaning(row, found)
  const figures = await takeTurns(
    { rounds: ROUNDS, enoughMs: ENOUGH_MS },
    () => medianTime(prepared.ours),
    () => medianTime(prepared.peer),
  )
  return judge(row, figures.ours, figures.peer)
}

/** Two sides that both find nothing agree as well, so a row has to find what its name promises. */
function requireMeaning(row: QueryRow, found: number): void {
  if ((found === 0) !== (row === 'no_match')) throw new Error(`${row}: its questions found ${found} events`)
}

async function medianTime(questions: readonly PreparedQuestion[]): Promise<number> {
  const times: number[] = []
  for (const question of questions) times.push(await timed(() => question.ask()))
  return median(times)
}
