/**
 * Records the HTTP answers of a checkout, and compares two recordings:
 *
 *     npx node scripts/record-answers.ts record FILE [--checkout DIR]
 *     npx node scripts/record-answers.ts compare BEFORE AFTER [--words]
 *
 * The answers are those of the real server in a temporary folder, with a fixed clock; random values are replaced by named
 * rules (scripts/answers/normalizer.ts). With --words, texts for people count as equal. The exit code is 1 if anything differs,
 * or if no request to a documented route was answered with success.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { compare, parseLines } from './answers/compare.ts'
import { record } from './answers/record.ts'

const USAGE = 'record FILE [--checkout DIR] | compare BEFORE AFTER [--words]\n'

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    checkout: { type: 'string', default: join(import.meta.dirname, '..') },
    words: { type: 'boolean', default: false },
  },
})

process.exitCode = await main(positionals)

async function main([command, first, second]: readonly string[]): Promise<number> {
  if (command === 'record' && first !== undefined) return recordTo(first)
  if (command === 'compare' && first !== undefined && second !== undefined) return compareFiles(first, second)
  process.stderr.write(USAGE)
  return 2
}

async function recordTo(file: string): Promise<number> {
  const { lines, uncovered } = await record(resolve(values.checkout), (what) => process.stderr.write(`${what}\n`))
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  process.stdout.write(`${lines.length} answers in ${file}\n`)
  for (const route of uncovered) process.stdout.write(`never answered with success: ${route}\n`)
  return uncovered.length === 0 ? 0 : 1
}

function compareFiles(before: string, after: string): number {
  const { differences, added, reworded } = compare(
    parseLines(readFileSync(before, 'utf8')),
    parseLines(readFileSync(after, 'utf8')),
    { ignoresWords: values.words },
  )
  for (const { name, what } of differences) process.stdout.write(`${name}\n    ${what}\n`)
  for (const name of added) process.stdout.write(`added: ${name}\n`)
  process.stdout.write(`${differences.length} differ, ${reworded} only in their words, ${added.length} added\n`)
  return differences.length === 0 ? 0 : 1
}
