/** What a piece of work costs, whatever else the machine does. */

/** Microseconds of processor time, the least of several rounds. Of both kinds: which of them a moment is counted for is only sampled. */
export function leastOf(rounds: number, work: () => void): number {
  const times = Array.from({ length: rounds }, () => {
    const before = process.cpuUsage()
    work()
    const { user, system } = process.cpuUsage(before)
    return user + system
  })
  return Math.min(...times)
}
