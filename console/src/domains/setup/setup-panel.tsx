/** Everything to set up a new domain without leaving the list: the checklist, and the records to publish. */
import { Link } from 'wouter'
import { useDomain } from '../../api/domains.ts'
import { IconButton } from '../../kit/button.tsx'
import { QueryState } from '../../kit/states.tsx'
import { RecordList } from '../record/record-list.tsx'
import { Checklist } from './checklist.tsx'

export function SetupPanel({ name, onClose }: { readonly name: string; readonly onClose: () => void }) {
  const { query, check } = useDomain(name)
  const { data } = query
  return (
    <section className="box stack gap-16 setup-box" aria-label={`Set up ${name}`}>
      <header className="row spread">
        <h2>
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
