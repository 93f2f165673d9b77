/** Does the work for some of the items at a time: on a cluster, a request mostly waits for other processes. */
export async function someAtATime<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  for (let at = 0; at < items.length; at += AT_A_TIME) await Promise.all(items.slice(at, at + AT_A_TIME).map(work))
}

/** Fewer than the reads that a tenant may have running or waiting. */
const AT_A_TIME = 16
