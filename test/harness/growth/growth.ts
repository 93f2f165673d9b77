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
  /** The length of the stretched part, n, 2n and 4n, and the processor time for each. */
  readonly sizes: readonly number[]
  readonly microseconds: readonly number[]
}

type Times = readonly [number, number, number]

/** An exponential parser must not keep the test from ending. */
const SHORT_SIZES = [16, 20, 24, 28, 32, 48]
const SHORT_MAX_MS = 20
/** Each is four times the one before. Larger texts take the allocator longer, whatever the parser does. */
const SIZES = [1024, 4096, 16_384, 65_536]
/** From here on a parse is long enough to be judged. One that needs less for the largest text is fast enough in any case. */
const JUDGED_MS = 1
/** A parser that needs more for a size gets no larger input: if its time grew too fast, it would have been seen. */
const SLOW_MS = 8
/** Times that suggest measuring them well: linear is 4. */
const SUSPICIOUS_GROWTH = 5.5
const PROBES = 4

/** A parse is repeated until it has used this. */
const SLICE_US = 4000
/** The sizes take turns: a processor that is shared is slower for a while, and then all of them should be. */
const TURNS = 16
/** After so many turns, times are believed that hide growth only if noise has added two thirds to the least of them. */
const CLEAR_TURNS = 5
const CLEAR_GROWTH = 4 * 1.1
const CLEAR_DOUBLING = 1.4
/** Four times the input, with room for a logarithm and for noise. */
const GROWTH_MAX = 4 * 1.8
/** Both doublings: where the parser has a limit or the allocator another space, a little more input is another case. That is one step, not growth. */
const DOUBLING_MAX = 2 * 1.15
/** The second doubling against the first: after a step, a linear parser is linear again. */
const SUSTAINED_MIN = 0.4

/** Undefined if the time grows as n log n at most. */
export async function findGrowth(parser: Parser, input: ParserInput, shape: Shape): Promise<Growth | undefined> {
  const found = (sizes: readonly number[], times: readonly number[]) => ({
    parser: parser.name,
    input: input.name,
    shape: shape.name,
    sizes,
    microseconds: times.map(Math.round),
  })
  const build = (size: number) => input.build(fill(shape, size))
  for (const size of SHORT_SIZES) {
    if ((await probe(parser, build(size), PROBES, SHORT_MAX_MS)) < SHORT_MAX_MS) continue
    return found([size], [await measure(parser, build(size))])
  }
  let before: Probed | undefined
  for (const size of SIZES) {
    if (before && (await isSlow(parser, before))) break
    const input = build(size)
    const current = { input, tookMs: await probe(parser, input, 1) }
    if (before && current.tookMs >= JUDGED_MS && (await growsFast(parser, before, current))) {
      const inputs: Inputs = [before.input, build(size / 2), input]
      // Twice: code that is compiled anew during a measurement is faster for some of the turns, and the least times are then of different code.
      const times = (await measureGrowth(parser, inputs)) && (await measureGrowth(parser, inputs))
      if (times) return found([size / 4, size / 2, size], times)
    }
    before = current
  }
  return undefined
}

interface Probed {
  readonly input: unknown
  tookMs: number
}

async function isSlow(parser: Parser, probed: Probed): Promise<boolean> {
  if (probed.tookMs > SLOW_MS) probed.tookMs = await probe(parser, probed.input, PROBES, SLOW_MS)
  return probed.tookMs > SLOW_MS
}

async function growsFast(parser: Parser, before: Probed, current: Probed): Promise<boolean> {
  // The first run of a function is slow, and would hide the growth.
  before.tookMs = Math.min(before.tookMs, await probe(parser, before.input, PROBES))
  if (current.tookMs <= SUSPICIOUS_GROWTH * before.tookMs) return false
  // A single run that is not suspicious decides: the least of more would not be either.
  const enoughMs = SUSPICIOUS_GROWTH * before.tookMs
  current.tookMs = Math.min(current.tookMs, await probe(parser, current.input, PROBES, enoughMs))
  return current.tookMs > SUSPICIOUS_GROWTH * before.tookMs
}

type Inputs = readonly [unknown, unknown, unknown]

/** The processor times, if they grow too fast: the least of several turns, as noise only adds. To a short parse it hides growth, to a long one it looks like growth. */
async function measureGrowth(parser: Parser, inputs: Inputs): Promise<Times | undefined> {
  let times: Times = [Infinity, Infinity, Infinity]
  for (let turn = 0; turn < TURNS; turn++) {
    const [one, two, four] = [
      await measure(parser, inputs[0]),
      await measure(parser, inputs[1]),
      await measure(parser, inputs[2]),
    ]
    times = [Math.min(times[0], one), Math.min(times[1], two), Math.min(times[2], four)]
    if (turn + 1 >= CLEAR_TURNS && isClearlySlow(times)) return undefined
  }
  return isTooFast(times) ? times : undefined
}

function isClearlySlow([one, two, four]: Times): boolean {
  return four < CLEAR_GROWTH * one || Math.min(two / one, four / two) < CLEAR_DOUBLING
}

function isTooFast([one, two, four]: Times): boolean {
  const [first, second] = [two / one, four / two]
  const isStep = second < SUSTAINED_MIN * first
  return four > GROWTH_MAX * one && Math.min(first, second) > DOUBLING_MAX && !isStep
}

/** Filled once for all parsers. */
const filled = new Map<string, string>()

function fill(shape: Shape, size: number): string {
  const key = `${size} ${shape.name}`
  const text = filled.get(key) ?? shape.fill(size)
  filled.set(key, text)
  return text
}

/** Milliseconds of processor time, the least of several runs, because noise only adds; they only decide whether to measure it well. */
async function probe(parser: Parser, input: unknown, runs: number, enoughMs = 0): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let index = 0; index < runs && least > enoughMs; index++) {
    const start = processorUs()
    await run(parser, input)
    least = Math.min(least, (processorUs() - start) / 1000)
  }
  return least
}

/** Microseconds of processor time for one parse. */
async function measure(parser: Parser, input: unknown): Promise<number> {
  const start = processorUs()
  for (let runs = 1; ; runs++) {
    await run(parser, input)
    const used = processorUs() - start
    if (used >= SLICE_US) return used / runs
  }
}

/** Of this thread. The kernel counts it in ticks of several milliseconds, but brings it up to date to tell the time of the process. */
function processorUs(): number {
  process.cpuUsage()
  const { user, system } = process.threadCpuUsage()
  return user + system
}

async function run(parser: Parser, input: unknown): Promise<void> {
  try {
    await parser.parse(input)
  } catch {
    // Only the time counts.
  }
}
