/** The metrics of the process and of Node: one registry, because their timers run as long as the process does. */
import { collectDefaultMetrics, Registry } from '@prometheus-io/client'

let registry: Registry | undefined

/** They are measured from the first time on. */
export function processMetrics(): Registry {
  if (registry) return registry
  registry = new Registry()
  collectDefaultMetrics({ register: registry })
  return registry
}
