/** Lets everything else that waits for the thread run first. For work that comes in slices. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
