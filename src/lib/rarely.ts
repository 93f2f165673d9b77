/** A report that would repeat itself: the first is made, further ones not before the time is over. */
export function rarely(
  report: (error: unknown) => void,
  everyMs: number,
  clock: () => number = () => performance.now(),
): (error: unknown) => void {
  let reportedAt = Number.NEGATIVE_INFINITY
  return (error) => {
    const now = clock()
    if (now - reportedAt < everyMs) return
    reportedAt = now
    report(error)
  }
}
