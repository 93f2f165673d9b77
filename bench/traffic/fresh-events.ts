/** Events of the day after the window, for the rows that write after the load. */
import { inGroups } from '../load/in-groups.ts'
import { dayAfter, generateTraffic, type Window } from './traffic.ts'

export const POST_EVENTS = 100

export interface FreshEvents {
  /** Bodies of posts with one event each. */
  takeSingles(count: number): readonly Buffer[]
  /** Bodies of posts with 100 events each. */
  takePosts(count: number): readonly Buffer[]
}

export function makeFreshEvents(seed: number, window: Window): FreshEvents {
  let draws = 0
  const take = (posts: number, eventsPerPost: number) => {
    // Another seed for every draw, so that no event occurs twice.
    const traffic = generateTraffic(seed + ++draws, posts * eventsPerPost, dayAfter(window))
    const lines = [...traffic].map((event) => JSON.stringify(event))
    return inGroups(lines, eventsPerPost).map((post) => Buffer.from(post.join('\n')))
  }
  return { takeSingles: (count) => take(count, 1), takePosts: (count) => take(count, POST_EVENTS) }
}
