/** Rows that ask both sides the same questions: first compare the answers, then the times. */
import { Figures, type Rounds, timed } from '../load/figures.ts'
import { type PreparedQuestion, type Question, requireSameAnswer, type Side, sizeOf } from '../questions/question.ts'
import type { Row, RowName } from '../report/row.ts'
import { judgeTurns } from './judge-turns.ts'

export async function compareAnswers(
  row: RowName,
  questions: readonly Question[],
  ours: Side,
  peer: Side,
  rounds: Rounds,
): Promise<Row> {
  const prepared = { ours: [] as PreparedQuestion[], peer: [] as PreparedQuestion[] }
  let found = 0
  for (const question of questions) {
    const [mine, theirs] = [await prepare(ours, question), await prepare(peer, question)]
    const answer = mine.read(await mine.ask())
    requireSameAnswer(row, question, answer, theirs.read(await theirs.ask()))
    found += sizeOf(answer)
    prepared.ours.push(mine)
    prepared.peer.push(theirs)
  }
  // Two sides that both find nothing agree as well.
  if ((found === 0) !== (row === 'no_match')) throw new Error(`${row}: its questions found ${found} events`)
  return judgeTurns(
    row,
    rounds,
    () => medianTime(prepared.ours),
    () => medianTime(prepared.peer),
  )
}

/** A page deep in the log is prepared with the cursor of the page before it. */
export async function prepare(side: Side, question: Question): Promise<PreparedQuestion> {
  if (question.kind !== 'page' || question.deepFrom === undefined) return side.prepare(question)
  const before = side.prepare({ ...question, filters: { ...question.filters, endTimestamp: question.deepFrom } })
  const { next } = before.read(await before.ask())
  if (next === undefined) throw new Error(`nothing follows ${JSON.stringify(question)}`)
  return side.prepare(question, next)
}

/** Median milliseconds of the questions, each asked once. */
export async function medianTime(questions: readonly PreparedQuestion[]): Promise<number> {
  const times = new Figures()
  for (const question of questions) times.add(await timed(() => question.ask()))
  return times.median
}
