/** The frame around every page: navigation at the side, search on top, global keyboard shortcuts. */
import { Dialog as BaseDialog } from '@base-ui/react/dialog'
import { type ReactNode, useEffect, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { useCurrentSession, useScope } from '../api/session.ts'
import { Icon } from '../kit/marks/icon.tsx'
import { Account } from './account.tsx'
import { KeysSheet } from './keys-sheet.tsx'
import { listPages, type Page } from './pages.ts'
import { SearchBox } from './search-box.tsx'

import { useGlobalKeys } from './use-global-keys.ts'
import './frame.css'

export function Frame({ children }: { readonly children: ReactNode }) {
  const { principal } = useCurrentSession()
  const pages = listPages(principal)
  const canSearch = useScope('logs')
  const [isSheetOpen, setSheetOpen] = useState(false)
  const [location] = useLocation()
  useGlobalKeys(pages, () => setSheetOpen(true))
  useTitle(pages.find(({ path }) => location.startsWith(path))?.title)
  const navigation = (
    <>
      <Link href="/" className="row brand">
        <Mark />
        <span className="side-word">envelog</span>
      </Link>
      <Navigation pages={pages} location={location} />
      <Account onShowKeys={() => setSheetOpen(true)} />
    </>
  )
  return (
    <div className="frame">
      <a className="skip" href="#content">
        Skip to content
      </a>
      <aside className="side" aria-label="Console">
        {navigation}
      </aside>
      <div className="stage">
        <header className="row top">
          <Drawer location={location}>{navigation}</Drawer>
          {canSearch && <SearchBox />}
          {principal.kind === 'operator' && <span className="soft medium">Operator</span>}
        </header>
        {/* Focusable, so that it can be scrolled by keyboard even if nothing inside takes the focus. */}
        <main id="content" className="inset-focus content" tabIndex={0}>
          {children}
        </main>
      </div>
      <KeysSheet pages={pages} isOpen={isSheetOpen} onClose={() => setSheetOpen(false)} />
    </div>
  )
}

function Navigation({ pages, location }: { readonly pages: readonly Page[]; readonly location: string }) {
  return (
    <nav aria-label="Pages" className="stack gap-2">
      {pages.map(({ path, title, icon }) => (
        <Link
          key={path}
          href={path}
          className="row hoverable nav-link"
          title={title}
          aria-current={location.startsWith(path) ? 'page' : undefined}
        >
          <Icon name={icon} />
          <span className="side-word">{title}</span>
        </Link>
      ))}
    </nav>
  )
}

/** The navigation on narrow screens: a button opens it over the page. */
function Drawer({ location, children }: { readonly location: string; readonly children: ReactNode }) {
  const [openAt, setOpenAt] = useState<string>()
  return (
    <BaseDialog.Root open={openAt === location} onOpenChange={(open) => setOpenAt(open ? location : undefined)}>
      <BaseDialog.Trigger className="icon-button drawer-button" aria-label="Open navigation">
        <Icon name="menu" />
      </BaseDialog.Trigger>
      <BaseDialog.Portal>
        <BaseDialog.Backdrop className="fading dialog-backdrop" />
        <BaseDialog.Popup className="side drawer" aria-label="Navigation">
          {children}
        </BaseDialog.Popup>
      </BaseDialog.Portal>
    </BaseDialog.Root>
  )
}

export function Mark() {
  return (
    <svg className="mark" viewBox="0 0 24 24" aria-hidden="true">
      <path className="mark-body" d="M3 6.5h18v12H3z" />
      <path className="mark-flap" d="m3.5 7 8.5 6.5L20.5 7" />
    </svg>
  )
}

function useTitle(title: string | undefined): void {
  useEffect(() => {
    document.title = title === undefined ? 'Envelog' : `${title} · Envelog`
  }, [title])
}
