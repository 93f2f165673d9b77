/** All pages, and which of them a key can use. */
import type { Principal } from '../api/session.ts'
import type { IconName } from '../kit/marks/icon.tsx'

export interface Page {
  readonly path: string
  readonly title: string
  readonly icon: IconName
  /** `g` and this letter open the page. */
  readonly letter: string
  readonly scope: Principal['scopes'][number]
}

/** A key has a tenant's scopes or the operator's, never both. */
const PAGES: readonly Page[] = [
  { path: '/overview', title: 'Overview', icon: 'overview', letter: 'o', scope: 'domainStats' },
  { path: '/log', title: 'Log', icon: 'log', letter: 'l', scope: 'logs' },
  { path: '/domains', title: 'Domains', icon: 'domains', letter: 'd', scope: 'domains' },
  { path: '/operator/tenants', title: 'Tenants', icon: 'tenants', letter: 't', scope: 'read' },
  { path: '/operator/keys', title: 'Keys', icon: 'keys', letter: 'k', scope: 'read' },
  { path: '/operator/domains', title: 'Domains', icon: 'domains', letter: 'd', scope: 'read' },
  { path: '/operator/ingest', title: 'Ingest', icon: 'ingest', letter: 'i', scope: 'read' },
  { path: '/operator/quarantine', title: 'Quarantine', icon: 'quarantine', letter: 'q', scope: 'read' },
  { path: '/operator/removals', title: 'Removals', icon: 'removals', letter: 'r', scope: 'read' },
  { path: '/operator/storage', title: 'Storage', icon: 'storage', letter: 's', scope: 'read' },
]

export function listPages({ scopes }: Principal): readonly Page[] {
  const granted: readonly string[] = scopes
  return PAGES.filter(({ scope }) => granted.includes(scope) || (scope === 'read' && granted.includes('admin')))
}
