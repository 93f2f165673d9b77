/** Measures how the processor time of a parser grows with its input. */
import type { Shape } from './shapes.ts'

/** A parser of input that strangers can choose. */
export interface Parser {
  readonly name: string
  readonly inputs: readonly ParserInput[]
  /** May throw: a refusal is an answer. */
  parse(input: unknown): unknown
}

export interface ParserInput {
  readonly name: string
  /** The input with a stretched part. */
  build(part: string): unknown
}

export interface Growth {
  readonly parser: string
  readonly input: string
  readonly shape: string
  /** In microseconds, for n, 2n and 4n. */
  readonly times: readonly number[]
}

/**
 * n, 2n and 4n. Large: as long as a header or a line of a log may be. Small: a parser that reads only the beginning of a
 * text must not be expensive for that either, because a request has thousands of records.
 */
const LARGE = [4096, 8192, 16_384] as const
const SMALL = [450, 900, 1800] as const
type Sizes = typeof LARGE | typeof SMALL

/** The time of one parse from which its growth is examined, in milliseconds. */
const SUSPICIOUS_MS = new Map<Sizes, number>([
  [SMALL, 1],
  [LARGE, 2],
])
/** Small texts first: an exponential parser must not keep the test from ending. */
const PROBES = [24, 48] as const
/** A probe that takes longer is a finding in itself. */
const PROBE_MAX_MS = 200
/** Each time is the sum of as many parses as this takes for 4n: the processor time has a coarse resolution. */
const MEASURED_US = 30_000
/** With more, a parse is so short that the probe was disturbed by something else. */
const REPETITIONS_MAX = 32
/** Four times the input, with room for a logarithm and for noise. */
const GROWTH_MAX = 4 * 1.8
const DOUBLING_MAX = 2 * 1.4
const ATTEMPTS = 4

export async function findGrowth(parser: Parser, input: ParserInput, shape: Shape): Promise<Growth | undefined> {
  const growth = (times: readonly number[]) => ({ parser: parser.name, input: input.name, shape: shape.name, times })
  for (const size of PROBES) {
    const tookMs = await probe(parser, input.build(fill(shape, size)))
    if (tookMs > PROBE_MAX_MS) return growth([tookMs * 1000])
  }
  for (const [sizes, suspiciousMs] of SUSPICIOUS_MS) {
    const tookMs = await probe(parser, input.build(fill(shape, sizes[2])))
    if (tookMs > PROBE_MAX_MS) return growth([tookMs * 1000])
    const times = tookMs < suspiciousMs ? undefined : await measureGrowth(parser, input, shape, sizes)
    if (times) return growth(times)
  }
  return undefined
}

/** The times, if they grow too fast. */
async function measureGrowth(
  parser: Parser,
  input: ParserInput,
  shape: Shape,
  sizes: Sizes,
): Promise<readonly number[] | undefined> {
  const inputs = sizes.map((size) => input.build(fill(shape, size)))
  // Noise only adds to a time, so the smallest of several counts.
  let times = sizes.map(() => Number.POSITIVE_INFINITY)
  let repetitions = 1
  for (let attempt = 0; attempt < ATTEMPTS; ) {
    const measured: number[] = []
    for (const one of inputs) measured.push(await measure(parser, one, repetitions))
    if ((measured[2] ?? 0) < MEASURED_US) {
      if (repetitions >= REPETITIONS_MAX) return undefined
      repetitions *= 4
      times = sizes.map(() => Number.POSITIVE_INFINITY)
      continue
    }
    attempt += 1
    times = times.map((time, index) => Math.min(time, measured[index] ?? 0))
    const [one = 0, two = 0, four = 0] = times
    if (four < MEASURED_US || four < GROWTH_MAX * one || four < DOUBLING_MAX * two) return undefined
  }
  return times.map((time) => Math.round(time / repetitions))
}

/** Filled once for all parsers. */
const filled = new Map<string, string>()

function fill(shape: Shape, size: number): string {
  const key = `${size} ${shape.name}`
  const text = filled.get(key) ?? shape.fill(size)
  filled.set(key, text)
  return text
}

/** Elapsed time, which decides only whether the processor time is worth measuring. */
async function probe(parser: Parser, input: unknown): Promise<number> {
  const start = performance.now()
  await run(parser, input)
  return performance.now() - start
}

async function measure(parser: Parser, input: unknown, repetitions: number): Promise<number> {
  const before = process.cpuUsage()
  for (let index = 0; index < repetitions; index++) await run(parser, input)
  const { user, system } = process.cpuUsage(before)
  return user + system
}

async function run(parser: Parser, input: unknown): Promise<void> {
  try {
    await parser.parse(input)
  } catch {
    // Only the time counts.
  }
}
