/** A part of the traffic, prepared for both sides before it is timed: posts for us, COPY batches for the peer. */
import type { EmailEvent } from '../../src/events/event.ts'
import { toCopyLine } from '../peer/peer-event.ts'
import { POST_EVENTS } from '../traffic/fresh-events.ts'
import { inGroups } from './in-groups.ts'

const COPY_EVENTS = 1000

export interface Chunk {
  readonly events: number
  /** Bodies of posts of `postEvents` events, by default 100, one per line. */
  readonly posts: readonly Buffer[]
  readonly copies: readonly Buffer[]
  readonly last: EmailEvent
}

/** Makes chunks of the traffic, one after the other; `onEvent` sees every event. */
export function createChunkMaker(
  traffic: Iterator<EmailEvent, undefined>,
  domains: ReadonlyMap<string, number>,
  onEvent: (event: EmailEvent, json: string) => void,
): (events: number, postEvents?: number) => Chunk {
  let arrival = 0
  return (events, postEvents = POST_EVENTS) => {
    const posts: string[][] = []
    const copyLines: string[] = []
    let last: EmailEvent | undefined
    for (let made = 0; made < events; made++) {
      const { value: event } = traffic.next()
      if (!event) throw new Error('the traffic has ended')
      const json = JSON.stringify(event)
      onEvent(event, json)
      const post = posts.at(-1)
      // The events of one second stay in one post, which may make it a few events longer: posts are sent concurrently, and
      // events of the same second are listed in the order of arrival, which has to be the same on both sides.
      if (post && (post.length < postEvents || event.timestamp === last?.timestamp)) post.push(json)
      else posts.push([json])
      copyLines.push(toCopyLine(event, domains.get(event.domain_name) ?? 0, ++arrival))
      last = event
    }
    if (!last) throw new Error('a chunk has at least one event')
    return {
      events,
      posts: posts.map((post) => Buffer.from(post.join('\n'))),
      copies: inGroups(copyLines, COPY_EVENTS).map((lines) => Buffer.from(lines.join(''))),
      last,
    }
  }
}
