/**
 * The young generation of a thread. By default V8 sizes it by the machine's memory; the work of a thread needs only a few MB, and
 * a smaller one has shorter pauses.
 */
import { setFlagsFromString } from 'node:v8'
import type { ResourceLimits } from 'node:worker_threads'

/** As much as the launcher gives the serving thread. */
const DEFAULT_MB = 48

/** For a thread that is about to start. */
export function youngGenerationOf(megabytes = DEFAULT_MB): ResourceLimits {
  // The option of the whole process, which the launcher sets for the serving thread, would override the limit of the thread. The
  // serving thread has read it when it started.
  setFlagsFromString('--max-semi-space-size=0')
  return { maxYoungGenerationSizeMb: megabytes }
}
