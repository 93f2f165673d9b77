/** Envelog's own format: the fields and names of the interface (section 2.1), one event per record. */
import type { Connector } from '../../events/ingest/connector.ts'

export const native: Connector = {
  name: 'native',
  toEvents: (record) => [{ event: record }],
}
