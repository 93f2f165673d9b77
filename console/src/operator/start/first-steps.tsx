/** What a new installation needs before it shows any mail, until all of it is there. */
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { Link } from 'wouter'
import { Button } from '../../kit/button.tsx'
import { Step } from '../../kit/step.tsx'
import { AddDomain } from '../add-domain.tsx'
import { useAllDomains, useKeys, useTenants } from '../admin.ts'
import { CreateKey } from '../create-key.tsx'
import { CreateTenant } from './create-tenant.tsx'

export default function FirstSteps() {
  const tenants = useTenants('take=1').data
  const domains = useAllDomains('take=1').data
  const readingKeys = useKeys('valid=true&scope=logs&take=1').data
  const ingestKeys = useKeys('valid=true&scope=ingest&take=1').data
  const [opened, setOpened] = useState<'tenant' | 'domain' | 'key' | 'ingest'>()
  const lists = [tenants, domains, readingKeys, ingestKeys]
  const done = lists.filter((list) => list && list.count > 0).length
  const isLoaded = lists.every(Boolean)
  // Somebody who has done the last step should see that, and how to go on.
  const wasOpen = useRef(false)
  if (isLoaded && done < lists.length) wasOpen.current = true
  const section = useFocusOnNext(done, opened)
  if (!isLoaded || !wasOpen.current) return null
  const [hasTenant, hasDomain, hasKey, hasIngestKey] = lists.map((list) => list !== undefined && list.count > 0)
  const domain = domains?.domains[0]
  const close = () => setOpened(undefined)
  const next = [hasTenant, hasDomain, hasKey, hasIngestKey].indexOf(false)
  const action = (step: number, dialog: typeof opened, label: ReactNode) => (
    <Button look={step === next ? 'strong' : 'plain'} className="check-action" onClick={() => setOpened(dialog)}>
      {label}
    </Button>
  )
  return (
    <section ref={section} className="box stack gap-12 check-steps" aria-label="First steps">
      <h2 tabIndex={-1}>
        First steps: {done} of {lists.length} done
      </h2>
      <ol className="stack gap-12">
        <Step isDone={hasTenant === true} title="Create a tenant">
          <p className="small soft">
            A customer, or a department of your own company. It sees only its own domains and mail.
          </p>
          {!hasTenant && action(0, 'tenant', 'Create the first tenant')}
        </Step>
        <Step isDone={hasDomain === true} title="Add a sender domain">
          <p className="small soft">
            Every event belongs to a sender domain.{' '}
            {domain ? (
              <Link className="in-text" href={`/domains/${encodeURIComponent(domain.name)}`}>
                Show the DNS records of {domain.name}
              </Link>
            ) : (
              'You get the DNS records to publish for it.'
            )}
          </p>
          {hasTenant && !hasDomain && action(1, 'domain', 'Add the first domain')}
        </Step>
        <Step isDone={hasKey === true} title="Create a key for the tenant">
          <p className="small soft">With it, the tenant signs in here and reads its log.</p>
          {hasTenant && !hasKey && action(2, 'key', 'Create the tenant’s key')}
        </Step>
        <Step isDone={hasIngestKey === true} title="Create an ingest key">
          <p className="small soft">
            With it, your mail server sends events.{' '}
            <a className="in-text" href="/docs/guide/ingest" target="_blank" rel="noopener">
              How to connect a mail server
            </a>
          </p>
          {hasTenant && !hasIngestKey && action(3, 'ingest', 'Create the ingest key')}
        </Step>
      </ol>
      {opened === 'tenant' && <CreateTenant onClose={close} />}
      {opened === 'domain' && <AddDomain onClose={close} />}
      {opened === 'key' && <CreateKey onClose={close} owner={domain?.tenant ?? tenants?.tenants[0]} />}
      {opened === 'ingest' && <CreateKey onClose={close} />}
    </section>
  )
}

/** The button of a step that is done goes away; the focus moves on to the next one, or to the heading. */
function useFocusOnNext(done: number, opened: string | undefined) {
  const section = useRef<HTMLElement>(null)
  const hasOpened = useRef(false)
  useEffect(() => {
    if (opened !== undefined) hasOpened.current = true
    else if (done > 0 && hasOpened.current && document.activeElement === document.body) {
      const next = section.current?.querySelector<HTMLElement>('.check-action') ?? section.current?.querySelector('h2')
      next?.focus()
    }
  }, [done, opened])
  return section
}
