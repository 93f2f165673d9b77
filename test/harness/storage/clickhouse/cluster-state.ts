/** What the servers of a cluster are doing, for the output of a failed run. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const ANSWER_TIMEOUT_MS = 5000
const LONG_SECONDS = 5
const SHOWN_LINES = 10

export async function describeServers(folder: string, urls: readonly string[]): Promise<string> {
  const servers = await Promise.all(
    urls.map(async (url, index) => {
      const running = await longStatements(url)
      const errors = lastErrors(join(folder, `server-${index}`, 'errors'))
      return [`${url}, statements of more than ${LONG_SECONDS} seconds:`, running, 'last errors:', errors].join('\n')
    }),
  )
  return servers.join('\n\n')
}

async function longStatements(url: string): Promise<string> {
  const body = `SELECT elapsed, query FROM system.processes WHERE elapsed > ${LONG_SECONDS} FORMAT TabSeparated`
  try {
    const answer = await fetch(url, { method: 'POST', body, signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS) })
    return await answer.text()
  } catch (error) {
    return String(error)
  }
}

/** Without the stacks. */
function lastErrors(file: string): string {
  try {
    const lines = readFileSync(file, 'utf8').split('\n')
    return lines
      .filter((line) => /^\d{4}\./.test(line))
      .slice(-SHOWN_LINES)
      .map((line) => line.slice(0, 300))
      .join('\n')
  } catch (error) {
    return String(error)
  }
}
