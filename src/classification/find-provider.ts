/** Finds the provider that runs a receiving host. */
import { asList } from './operator-table.ts'
import type { Provider } from './provider.ts'
import { PROVIDERS } from './providers.ts'

/** Undefined for hosts that are in neither table: no provider is better than a guess. */
export type ProviderFinder = (host: string | undefined) => string | undefined

/** RFC 1035 section 2.3.4, with the final dot. */
const HOST_LENGTH_MAX = 254

/** The longest name that covers the host wins, in the operator's table first, then in ours. */
export function createProviderFinder(operatorProviders: readonly Provider[] = []): ProviderFinder {
  const tables = [operatorProviders, PROVIDERS].map(byHost)
  return (host = '') => {
    if (host.length > HOST_LENGTH_MAX) return undefined
    const name = host.toLowerCase().replace(/\.$/, '')
    for (const table of tables) {
      const found = findCovering(table, name)
      if (found !== undefined) return found
    }
    return undefined
  }
}

function byHost(providers: readonly Provider[]): ReadonlyMap<string, string> {
  const table = new Map<string, string>()
  for (const { name, hosts } of providers) {
    // As with rules, the first entry wins.
    for (const host of asList(hosts)) if (!table.has(host.toLowerCase())) table.set(host.toLowerCase(), name)
  }
  return table
}

function findCovering(table: ReadonlyMap<string, string>, host: string): string | undefined {
  for (let rest = host; rest !== ''; ) {
    const found = table.get(rest)
    if (found !== undefined) return found
    const dot = rest.indexOf('.')
    rest = dot === -1 ? '' : rest.slice(dot + 1)
  }
  return undefined
}
