/** How a process is asked to end: the first SIGTERM or SIGINT politely, the second one at once. */

const SIGNALS = ['SIGTERM', 'SIGINT'] as const

/** The exit code of a process ended by a signal, as shells write it. */
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
