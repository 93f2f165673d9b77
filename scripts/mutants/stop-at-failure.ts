/** A reporter of node:test that ends the process at the first failed test: the others cannot change the verdict. */
import type { TestEvent } from 'node:test/reporters'

export default async function* stopAtFailure(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const { type, data } of events) {
    if (type === 'test:fail' && data.todo === undefined) process.exit(1)
    yield ''
  }
}
