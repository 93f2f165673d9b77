/** All pages, and which of them a key can use. */
import type { Principal } from '../api/session.ts'
import type { IconName } from '../kit/marks/icon.tsx'

export interface Page {
  readonly path: string
  readonly title: string
  readonly icon: IconName
  /** `g` and this letter open the page. */
  readonly letter: string
  /** The scope of a tenant's key; absent: only for operators. */
  readonly scope?: 'domainStats' | 'logs' | 'domains'
}

/** The mail of tenants. An operator sees these for all tenants or for one. */
const MAIL_PAGES: readonly Page[] = [
  { path: '/overview', title: 'Overview', icon: 'overview', letter: 'o', scope: 'domainStats' },
  { path: '/log', title: 'Log', icon: 'log', letter: 'l', scope: 'logs' },
  { path: '/domains', title: 'Domains', icon: 'domains', letter: 'd', scope: 'domains' },
  { path: '/sending', title: 'Sending', icon: 'sending', letter: 'e' },
]

/** The installation. */
const OPERATOR_PAGES: readonly Page[] = [
  { path: '/operator/tenants', title: 'Tenants', icon: 'tenants', letter: 't' },
  { path: '/operator/keys', title: 'Keys', icon: 'keys', letter: 'k' },
  { path: '/operator/ingest', title: 'Ingest', icon: 'ingest', letter: 'i' },
  { path: '/operator/quarantine', title: 'Quarantine', icon: 'quarantine', letter: 'q' },
  { path: '/operator/removals', title: 'Removals', icon: 'removals', letter: 'r' },
  { path: '/operator/storage', title: 'Storage', icon: 'storage', letter: 's' },
  { path: '/operator/audit', title: 'Audit log', icon: 'audit', letter: 'a' },
]

export function listPages({ kind, scopes }: Principal): readonly Page[] {
  const granted: readonly string[] = scopes
  if (kind === 'tenant') return MAIL_PAGES.filter(({ scope }) => scope !== undefined && granted.includes(scope))
  return granted.includes('read') || granted.includes('admin') ? [...MAIL_PAGES, ...OPERATOR_PAGES] : []
}

/** Pages of the installation are not part of a tenant's addresses. */
export function isOfInstallation({ path }: Pick<Page, 'path'>): boolean {
  return path.startsWith('/operator/')
}

/** The address for links and navigation. */
export function linkTo(page: Pick<Page, 'path'>): string {
  return isOfInstallation(page) ? `~${page.path}` : page.path
}
