/** What a run has found: a table of the areas, the total, and each survivor with its place. */
import { describeMutation } from './mutation.ts'
import { areaOf } from './rank-tests.ts'
import { isSurvivor, type Outcome } from './try-mutations.ts'

interface Run {
  /** Mutations that were to be tried. */
  readonly chosen: number
  readonly seed: string
  readonly seconds: number
}

/** `share`: of those tried, how many survived; 0 to 1. */
export function reportOutcomes(outcomes: readonly Outcome[], { chosen, seed, seconds }: Run) {
  const survivors = outcomes.filter(isSurvivor)
  const timedOut = outcomes.filter(({ verdict }) => verdict === 'timed out').length
  const share = shareOf(outcomes)
  const killed = outcomes.length - survivors.length
  const lines = [
    '',
    ...listAreas(outcomes),
    '',
    `${outcomes.length} of ${chosen} tried in ${seconds} s, ${killed} killed (${timedOut} by the time limit), ` +
      `${survivors.length} survived (${percent(share)} %), --seed ${seed}`,
    ...survivors.map(({ mutation, verdict }) => `  ${describeMutation(mutation)}  [${verdict}]`).sort(),
  ]
  return { lines, share }
}

function listAreas(outcomes: readonly Outcome[]): readonly string[] {
  const areas = [...Map.groupBy(outcomes, ({ mutation }) => areaOf(mutation.file))].sort(([a], [b]) => (a < b ? -1 : 1))
  const rows = areas.map(([area, own]) => [
    area,
    String(own.length),
    String(own.filter(isSurvivor).length),
    `${percent(shareOf(own))} %`,
  ])
  return [['area', 'tried', 'survived', 'share'], ...rows].map(([area = '', ...cells]) =>
    [area.padEnd(16), ...cells.map((cell) => cell.padStart(9))].join(''),
  )
}

function shareOf(outcomes: readonly Outcome[]): number {
  return outcomes.length === 0 ? 0 : outcomes.filter(isSurvivor).length / outcomes.length
}

function percent(share: number): string {
  return (100 * share).toFixed(1)
}
