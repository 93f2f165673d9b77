/** A text that is a link if there is something to open. */
import type { ReactNode } from 'react'
import { Link } from 'wouter'

interface LinkedProps {
  readonly href: string | undefined
  readonly className?: string
  readonly children: ReactNode
}

export function Linked({ href, className = '', children }: LinkedProps) {
  if (href === undefined) return <span className={className}>{children}</span>
  return (
    <Link href={href} className={className}>
      {children}
    </Link>
  )
}
