/** What a run of the laboratory prints: a line for each kind, and at the end a table for docs/reliability.md. */
import { inspect } from 'node:util'
import type { Failure, KindResult } from './run-kind.ts'

export function describeResult({ rounds, wanted, failures, seconds }: KindResult): string {
  const outcome = failures.length > 0 ? `${failures.length} scenes FAILED` : rounds < wanted ? 'INCOMPLETE' : 'passed'
  return `  ${rounds} of ${wanted} rounds in ${Math.round(seconds)} s: ${outcome}`
}

export function describeFailure({ scene, folder, error }: Failure): string {
  return `  scene ${scene}, its files are in ${folder}\n${inspect(error).replace(/^/gm, '    ')}`
}

/** Markdown. */
export function summarize(results: readonly KindResult[], seed: number): string {
  const rows = results.map(({ kind, rounds, failures, figures }) => {
    const details = [...figures].map(([figure, count]) => `${count.toLocaleString('en')} ${figure}`).join(', ')
    return `| ${kind.name} | ${kind.promise} | ${rounds} | ${failures.length} | ${details} |`
  })
  const seconds = results.reduce((sum, result) => sum + result.seconds, 0)
  const rounds = results.reduce((sum, result) => sum + result.rounds, 0)
  const failed = results.reduce((sum, result) => sum + result.failures.length, 0)
  return [
    '',
    '| kind | promise | rounds | failed | seen |',
    '|---|---|---|---|---|',
    ...rows,
    '',
    `${rounds} rounds in ${Math.round(seconds / 60)} minutes, ${failed} failed, seed ${seed}`,
  ].join('\n')
}
