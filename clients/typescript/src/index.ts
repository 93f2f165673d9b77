/** What the package exports. */
export { type ClientOptions, EnvelogClient, type Input, type OperationId, type StreamedEvent } from './client.ts'
export { ConnectionError, EnvelogError } from './errors.ts'
export type * from './operations.ts'
export type { RetryOptions } from './retries.ts'
