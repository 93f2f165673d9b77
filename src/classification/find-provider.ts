/** Whose server it was, by the host name that a message was handed to. */
import { asList } from './operator-table.ts'
import type { Provider } from './provider.ts'
import { PROVIDERS } from './providers.ts'

/** Undefined for hosts that no table knows: a guess would be worse. */
export type ProviderFinder = (host: string) => string | undefined

/** The longest name that covers the host wins; among the operator's first, then among ours. */
export function createProviderFinder(operatorProviders: readonly Provider[] = []): ProviderFinder {
  const tables = [operatorProviders, PROVIDERS].map(byHost)
  return (host) => {
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
    // The first to name a host keeps it, as with rules.
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
