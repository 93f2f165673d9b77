/** The list of all connectors. */

import { createKnowledge, type Knowledge, type OwnTables } from '../classification/knowledge.ts'
import type { Connector } from '../events/ingest/connector.ts'
import { createHaraka } from './haraka/haraka.ts'
import { createKumomta } from './kumomta/kumomta.ts'
import { createMaillog } from './maillog/maillog.ts'
import { native } from './native/native.ts'
import { tracking } from './tracking/tracking.ts'

const FACTORIES: Readonly<Record<string, (knowledge: Knowledge) => Connector>> = {
  native: () => native,
  kumomta: createKumomta,
  haraka: createHaraka,
  maillog: createMaillog,
  tracking: () => tracking,
}

export const CONNECTOR_NAMES: readonly string[] = Object.keys(FACTORIES)

/** Keyed by name. */
export type Connectors = ReadonlyMap<string, Connector>

export function createConnectors(tables: OwnTables = {}): Connectors {
  const knowledge = createKnowledge(tables)
  return new Map(Object.entries(FACTORIES).map(([name, create]) => [name, create(knowledge)]))
}
