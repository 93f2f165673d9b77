/** Which parts of the sources a test file executes, and how long it takes. Kept between runs, as long as no file it reaches changes. */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { runTestFile } from './run-test-file.ts'

/** For a test file without any mutation. */
const TIME_LIMIT_MS = 600_000

/** Executed parts of a file: from, to, from, to … in ascending order. */
type Spans = readonly number[]

export interface Coverage {
  readonly isPassed: boolean
  readonly elapsedMs: number
  readonly spans: Readonly<Record<string, Spans>>
}

export function isCovered({ spans }: Coverage, file: string, offset: number): boolean {
  const own = spans[file] ?? []
  const after = own.findIndex((boundary) => boundary > offset)
  return after % 2 === 1
}

export interface MeasureOptions {
  /** The copy of the checkout that the test runs in, and its variables. */
  readonly folder: string
  readonly environment: Record<string, string>
  /** The test file and all that it reaches. */
  readonly closure: readonly string[]
  readonly cacheFolder: string
  /** What is left of the whole run. */
  readonly leftMs: number
}

export async function measureCoverage(
  test: string,
  { folder, environment, closure, cacheFolder, leftMs }: MeasureOptions,
): Promise<Coverage> {
  const hash = createHash('sha256').update(process.version)
  for (const file of closure) hash.update(`\0${file}\0`).update(readFileSync(join(folder, file)))
  const kept = join(cacheFolder, `${hash.digest('hex')}.json`)
  if (existsSync(kept)) return JSON.parse(readFileSync(kept, 'utf8')) as Coverage
  const output = mkdtempSync(join(tmpdir(), 'envelog-coverage-'))
  try {
    const timeLimitMs = Math.min(TIME_LIMIT_MS, leftMs)
    const measured = { ...environment, NODE_V8_COVERAGE: output }
    const { isPassed, elapsedMs } = await runTestFile(folder, test, { timeLimitMs, environment: measured })
    const coverage = { isPassed, elapsedMs, spans: readSpans(output, folder) }
    if (isPassed) {
      mkdirSync(cacheFolder, { recursive: true })
      writeFileSync(kept, JSON.stringify(coverage))
      const hashes = Object.fromEntries(closure.map((file) => [file, hashFile(folder, file)]))
      writeFileSync(lastPath(cacheFolder, test), JSON.stringify({ kept, hashes } satisfies LastMeasured))
    }
    return coverage
  } finally {
    rmSync(output, { recursive: true, force: true })
  }
}

interface LastMeasured {
  readonly kept: string
  /** Of the test file and all that it reached. */
  readonly hashes: Readonly<Record<string, string>>
}

/**
 * What was measured of a test file last, if neither it nor the given file has changed since. Changes of other files hardly ever alter what
 * it executes there: good enough to leave out a test without measuring it again.
 */
export function recallCoverage(
  test: string,
  file: string,
  { folder, cacheFolder }: Pick<MeasureOptions, 'folder' | 'cacheFolder'>,
): Coverage | undefined {
  const last = lastPath(cacheFolder, test)
  if (!existsSync(last)) return undefined
  const { kept, hashes } = JSON.parse(readFileSync(last, 'utf8')) as LastMeasured
  if ([test, file].some((each) => hashes[each] !== hashFile(folder, each)) || !existsSync(kept)) return undefined
  return JSON.parse(readFileSync(kept, 'utf8')) as Coverage
}

function lastPath(cacheFolder: string, test: string): string {
  return join(cacheFolder, `last-${test.replaceAll('/', '-')}.json`)
}

function hashFile(folder: string, file: string): string {
  return createHash('sha256')
    .update(readFileSync(join(folder, file)))
    .digest('base64url')
}

/** https://chromedevtools.github.io/devtools-protocol/tot/Profiler/#type-ScriptCoverage */
interface ScriptCoverage {
  readonly url: string
  readonly functions: readonly {
    readonly ranges: readonly { readonly startOffset: number; readonly endOffset: number; readonly count: number }[]
  }[]
}

/** One file per process and thread; a part counts if any of them has executed it. */
function readSpans(output: string, folder: string): Record<string, Spans> {
  const executed = new Map<string, Uint8Array>()
  for (const name of readdirSync(output)) {
    const { result } = JSON.parse(readFileSync(join(output, name), 'utf8')) as { result: readonly ScriptCoverage[] }
    for (const script of result) {
      const file = script.url.startsWith('file:') ? relative(folder, fileURLToPath(script.url)) : '..'
      if (!file.startsWith('..') && !file.startsWith('node_modules')) mergeScript(executed, file, script)
    }
  }
  return Object.fromEntries([...executed].map(([file, marks]) => [file, toSpans(marks)]))
}

function mergeScript(executed: Map<string, Uint8Array>, file: string, { functions }: ScriptCoverage): void {
  const length = Math.max(0, ...functions.flatMap(({ ranges }) => ranges.map(({ endOffset }) => endOffset)))
  const marks = new Uint8Array(length)
  // Functions and ranges come after those that they are within.
  for (const { ranges } of functions) {
    for (const { startOffset, endOffset, count } of ranges) marks.fill(count > 0 ? 1 : 0, startOffset, endOffset)
  }
  const known = executed.get(file)
  executed.set(file, known ? marks.map((mark, index) => mark | (known[index] ?? 0)) : marks)
}

function toSpans(marks: Uint8Array): Spans {
  const spans: number[] = []
  let previous = 0
  for (const [offset, mark] of marks.entries()) {
    if (mark !== previous) spans.push(offset)
    previous = mark
  }
  if (previous === 1) spans.push(marks.length)
  return spans
}
