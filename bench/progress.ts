/** What is going on, on stderr: stdout belongs to the result. */

const started = performance.now()

export function say(text: string): void {
  const seconds = ((performance.now() - started) / 1000).toFixed(0).padStart(4)
  process.stderr.write(`${seconds} s  ${text}\n`)
}
