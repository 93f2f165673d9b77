/** Lets other pending work run first. For work that is done in slices. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
