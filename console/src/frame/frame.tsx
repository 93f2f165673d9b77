/** The frame around every page: navigation at the side, search on top, global keyboard shortcuts. */
import { type ReactNode, Suspense, useEffect, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { useReading } from '../api/reading.ts'
import { useCurrentSession, useScope } from '../api/session.ts'
import { IconButton } from '../kit/button.tsx'
import { Icon } from '../kit/marks/icon.tsx'
import { Modal } from '../kit/overlays/modal.tsx'
import { Account } from './account.tsx'
import { watchCutText } from './cut-text.ts'
import { KeysSheet } from './keys-sheet.tsx'
import { lazyPart } from './lazy-part.tsx'
import { isOfInstallation, linkTo, listPages, type Page } from './pages.ts'
import { SearchBox } from './search-box.tsx'
import { UpdateNotice } from './update-notice.tsx'
import { useGlobalKeys } from './use-global-keys.ts'
import { useZone, ZoneSwitch } from './zone-switch.tsx'
import './frame.css'
import './reading-bar.css'

const ReadingBar = lazyPart(() => import('./reading-bar.tsx'))

export function Frame({ children }: { readonly children: ReactNode }) {
  const { principal } = useCurrentSession()
  const pages = listPages(principal)
  const canSearch = useScope('logs')
  const [isSheetOpen, setSheetOpen] = useState(false)
  const [location] = useLocation()
  const zone = useZone()
  const { tenantId } = useReading()
  const shown = pages.find(({ path }) => location.startsWith(path))
  const isReadingMail = principal.kind === 'operator' && shown !== undefined && !isOfInstallation(shown)
  useGlobalKeys(pages, () => setSheetOpen(true))
  useEffect(watchCutText, [])
  useTitle(shown?.title)
  const navigation = (
    <>
      <Link href="~/" className="row brand">
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
      <div className="stage" data-reading={isReadingMail ? (tenantId === undefined ? 'all' : 'one') : undefined}>
        <header className="row top">
          <Drawer location={location}>{navigation}</Drawer>
          {canSearch && <SearchBox />}
          <span className="row push">
            {principal.kind === 'operator' && <span className="soft medium top-word">Operator</span>}
            <ZoneSwitch zone={zone} />
          </span>
        </header>
        {isReadingMail && (
          <Suspense fallback={<div className="reading-bar" />}>
            <ReadingBar />
          </Suspense>
        )}
        {/* Focusable, so that it can be scrolled by keyboard even if nothing inside takes the focus. */}
        <main key={zone} id="content" className="inset-focus content" tabIndex={0}>
          {children}
        </main>
      </div>
      <UpdateNotice />
      <KeysSheet pages={pages} isOpen={isSheetOpen} onClose={() => setSheetOpen(false)} />
    </div>
  )
}

function Navigation({ pages, location }: { readonly pages: readonly Page[]; readonly location: string }) {
  return (
    <nav aria-label="Pages" className="stack gap-2">
      {pages.map((page, index) => {
        const { path, title, icon } = page
        return (
          <Link
            key={path}
            href={linkTo(page)}
            className="row hoverable nav-link"
            data-first={isOfInstallation(page) && index > 0 && !isOfInstallation(pages[index - 1] ?? page)}
            title={title}
            aria-current={location.startsWith(path) ? 'page' : undefined}
          >
            <Icon name={icon} />
            <span className="side-word">{title}</span>
          </Link>
        )
      })}
    </nav>
  )
}

/** The navigation on narrow screens: a button opens it over the page. */
function Drawer({ location, children }: { readonly location: string; readonly children: ReactNode }) {
  const [openAt, setOpenAt] = useState<string>()
  return (
    <>
      <IconButton
        icon="menu"
        label="Open navigation"
        className="drawer-button"
        aria-haspopup="dialog"
        onClick={() => setOpenAt(location)}
      />
      {openAt === location && (
        <Modal className="drawer" aria-label="Navigation" onClose={() => setOpenAt(undefined)}>
          <div className="side">{children}</div>
        </Modal>
      )}
    </>
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
