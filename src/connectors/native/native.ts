/** Envelog's own dialect: the fields and names of the interface (section 2.1), one event a record. */
import type { Connector } from '../../events/connector.ts'

export const native: Connector = {
  name: 'native',
  toEvents: (record) => [{ event: record }],
}
