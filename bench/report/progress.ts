/** Progress, on stderr: stdout is for the result. */

const started = performance.now()

export function say(text: string): void {
  const seconds = ((performance.now() - started) / 1000).toFixed(0).padStart(4)
  process.stderr.write(`${seconds} s  ${text}\n`)
}
