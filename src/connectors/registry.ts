/** The one list of dialects that Envelog understands. */
import type { Connector } from '../events/connector.ts'
import { native } from './native/native.ts'

export const CONNECTORS: readonly Connector[] = [native]

export function findConnector(name: string): Connector | undefined {
  return CONNECTORS.find((connector) => connector.name === name)
}
