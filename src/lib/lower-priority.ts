/** Lets other threads go first where processors are scarce. */
import { getPriority, setPriority } from 'node:os'

/** On Linux, 0 is the calling thread; elsewhere it is the whole process. */
const THIS_THREAD = 0
const LOWEST = 19
/** Of work that nobody waits for. */
const BACKGROUND_STEPS = 10

/** Of the calling thread, for good. Where the system forbids it, work goes on with the priority that there is. */
export function lowerPriority(steps: number = BACKGROUND_STEPS): void {
  if (process.platform !== 'linux') return
  try {
    setPriority(THIS_THREAD, Math.min(LOWEST, getPriority(THIS_THREAD) + steps))
  } catch (error) {
    if (!(error instanceof Error) || !('code' in error) || error.code !== 'ERR_SYSTEM_ERROR') throw error
  }
}
