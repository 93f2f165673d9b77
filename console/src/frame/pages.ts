/** All pages, and which of them a key can use. */
import type { Principal } from '../api/session.ts'
import type { IconName } from '../kit/marks/icon.tsx'

export interface Page {
  readonly path: string
  readonly title: string
  readonly icon: IconName
  /** `g` and this letter open the page. */
  readonly letter: string
}

const OVERVIEW: Page = { path: '/overview', title: 'Overview', icon: 'overview', letter: 'o' }
const LOG: Page = { path: '/log', title: 'Log', icon: 'log', letter: 'l' }
const DOMAINS: Page = { path: '/domains', title: 'Domains', icon: 'domains', letter: 'd' }

const OPERATOR_PAGES: readonly Page[] = [
  { path: '/operator/tenants', title: 'Tenants', icon: 'tenants', letter: 't' },
  { path: '/operator/keys', title: 'Keys', icon: 'keys', letter: 'k' },
  { path: '/operator/domains', title: 'Domains', icon: 'domains', letter: 'd' },
  { path: '/operator/ingest', title: 'Ingest', icon: 'ingest', letter: 'i' },
  { path: '/operator/quarantine', title: 'Quarantine', icon: 'quarantine', letter: 'q' },
  { path: '/operator/storage', title: 'Storage', icon: 'storage', letter: 's' },
]

export function listPages(principal: Principal): readonly Page[] {
  if (principal.kind === 'operator') return principal.scopes.includes('admin') ? OPERATOR_PAGES : []
  const { scopes } = principal
  return [
    ...(scopes.includes('domainStats') ? [OVERVIEW] : []),
    ...(scopes.includes('logs') ? [LOG] : []),
    ...(scopes.includes('domains') ? [DOMAINS] : []),
  ]
}
