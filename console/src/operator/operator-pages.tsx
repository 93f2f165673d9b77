/** The operator's pages, loaded together. */
import type { ComponentType } from 'react'
import { Empty } from '../kit/states.tsx'
import { AdminDomainsPage } from './admin-domains-page.tsx'
import { AuditPage } from './audit-page.tsx'
import { IngestPage } from './ingest-page.tsx'
import { KeysPage } from './keys-page.tsx'
import { QuarantinePage } from './quarantine-page.tsx'
import { RemovalsPage } from './removals-page.tsx'
import { StoragePage } from './storage-page.tsx'
import { TenantsPage } from './tenants-page.tsx'
import './operator-pages.css'

const PAGES: Readonly<Record<string, ComponentType>> = {
  tenants: TenantsPage,
  keys: KeysPage,
  domains: AdminDomainsPage,
  ingest: IngestPage,
  quarantine: QuarantinePage,
  removals: RemovalsPage,
  storage: StoragePage,
  audit: AuditPage,
}

export default function OperatorPages({ page }: { readonly page: string }) {
  const Shown = Object.hasOwn(PAGES, page) ? PAGES[page] : undefined
  return Shown ? <Shown /> : <Empty icon="question" title="Page not found" isWholePage />
}
