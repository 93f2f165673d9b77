/** Whether a hit was a machine's: told from one request by itself. Bursts need several, see bursts.ts. */
import { MACHINES } from './machines.ts'

export interface HitRequest {
  readonly method: string
  /** By their names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  /** Since the message was given its tokens. */
  readonly ageMs: number
}

/** Nobody has a message in front of them so soon after it was made. */
const AT_DELIVERY_MS = 2000
const AGENT_LENGTH_MAX = 1000

/** A name for the machine; undefined for what may well have been a person. */
export function findMachine({ method, headers, ageMs }: HitRequest): string | undefined {
  // Asks whether there is something, and shows nobody anything.
  if (method === 'HEAD') return 'head'
  const agent = text(headers['user-agent']).trim().slice(0, AGENT_LENGTH_MAX)
  if (agent === '') return 'no-user-agent'
  const known = MACHINES.find((machine) => machine.agent.test(agent))
  if (known) return known.name
  if (['purpose', 'sec-purpose', 'x-purpose', 'x-moz'].some((name) => /prefetch|preview/i.test(text(headers[name])))) {
    return 'prefetch'
  }
  return ageMs < AT_DELIVERY_MS ? 'at-delivery' : undefined
}

function text(value: string | readonly string[] | undefined): string {
  return typeof value === 'string' ? value : (value?.join(' ') ?? '')
}
