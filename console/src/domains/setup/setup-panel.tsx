/** Everything to set up a new domain without leaving the list: the checklist, and the records to publish. */
import { useEffect, useRef } from 'react'
import { Link } from 'wouter'
import { useDomain } from '../../api/domains.ts'
import { IconButton } from '../../kit/button.tsx'
import { QueryState } from '../../kit/states.tsx'
import { RecordList } from '../record/record-list.tsx'
import { Checklist } from './checklist.tsx'

interface SetupPanelProps {
  readonly name: string
  /** Takes the place of the form that had the focus. */
  readonly getsFocus: boolean
  readonly onClose: () => void
}

export function SetupPanel({ name, getsFocus, onClose }: SetupPanelProps) {
  const { query, check } = useDomain(name)
  const { data } = query
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    if (getsFocus) heading.current?.focus()
  }, [getsFocus])
  return (
    <section className="box stack gap-16 setup-box" aria-label={`Set up ${name}`}>
      <header className="row spread">
        <h2 ref={heading} tabIndex={-1}>
          Set up{' '}
          <Link href={`/domains/${encodeURIComponent(name)}`} className="domain-name">
            {name}
          </Link>
        </h2>
        <IconButton icon="close" label="Close" onClick={onClose} />
      </header>
      <QueryState query={query} what="the domain" />
      {data && (
        <>
          <Checklist key={name} domain={data} check={check} isAlwaysShown onRemoved={onClose} />
          <RecordList domain={data} checked={check.data?.records} />
        </>
      )}
    </section>
  )
}
