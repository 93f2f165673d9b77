/** A page that scrolls as a whole: title, actions, content. */
import type { ReactNode } from 'react'
import './page.css'

interface PageProps {
  readonly title: ReactNode
  readonly note?: ReactNode
  readonly actions?: ReactNode
  readonly children: ReactNode
}

export function Page({ title, note, actions, children }: PageProps) {
  return (
    <div className="stack gap-16 page">
      <header className="row wrap spread page-head">
        <div>
          <h1>{title}</h1>
          {note && <p className="muted">{note}</p>}
        </div>
        {actions && <div className="row wrap">{actions}</div>}
      </header>
      {children}
    </div>
  )
}
