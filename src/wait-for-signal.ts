/** The first SIGTERM or SIGINT asks for a graceful shutdown, the second one exits at once. */

const SIGNALS = ['SIGTERM', 'SIGINT'] as const

/** The exit code that shells report for a process ended by the signal: 128 + its number. */
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 } as const

export function waitForSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let isAsked = false
    for (const signal of SIGNALS) {
      process.on(signal, () => {
        if (isAsked) process.exit(EXIT_CODES[signal])
        isAsked = true
        resolve(signal)
      })
    }
  })
}
