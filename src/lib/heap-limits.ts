/** Limits on the memory of JavaScript, which V8 sizes by the memory of the machine. */
import { setFlagsFromString } from 'node:v8'
import type { ResourceLimits } from 'node:worker_threads'

/** As much as the launcher gives the serving thread. */
const YOUNG_MB = 48

/** V8's own choice lets a heap more than double before it collects what is old. */
const OLD_GROWTH_PERCENT = 70

/** The young generation of a thread that is about to start. Its work needs only a few MB, and a smaller one has shorter pauses. */
export function youngGenerationOf(megabytes = YOUNG_MB): ResourceLimits {
  // The option of the whole process, which the launcher sets for the serving thread, would override the limit of the thread. The
  // serving thread has read it when it started.
  setFlagsFromString('--max-semi-space-size=0')
  return { maxYoungGenerationSizeMb: megabytes }
}

/** How much the old generation of each thread grows before it is collected. Buffers that wait for it are freed earlier, too. */
export function limitOldGeneration(): void {
  setFlagsFromString(`--heap-growing-percent=${OLD_GROWTH_PERCENT}`)
}
