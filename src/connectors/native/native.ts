/** Envelog's own format: the fields and names of the interface (section 2.1), one event per record, and four more that a mail server may know. */
import type { EventExtension } from '../../events/event.ts'
import type { Connector, ToldEvent } from '../../events/ingest/connector.ts'

export const native: Connector = {
  name: 'native',
  toEvents: (record) => [toToldEvent(record)],
}

/** Most records have only fields of the interface, and are passed on as they are. For the others see docs/decisions/0042. */
function toToldEvent(record: unknown): ToldEvent {
  if (typeof record !== 'object' || record === null || Array.isArray(record)) return { event: record }
  const isExtended =
    'sending_address' in record || 'sending_source' in record || 'sending_pool' in record || 'next_attempt' in record
  if (!isExtended) return { event: record }
  const { sending_address, sending_source, sending_pool, next_attempt, ...event } = record as Record<string, unknown>
  return { event, extension: { sending_address, sending_source, sending_pool, next_attempt } as EventExtension }
}
