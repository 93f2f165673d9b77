/** What a new installation needs before it shows any mail, until all of it is there. */
import { useState } from 'react'
import { Button } from '../../kit/button.tsx'
import { Step } from '../../kit/step.tsx'
import { AddDomain } from '../add-domain.tsx'
import { useTenants } from '../admin.ts'
import { CreateKey } from '../create-key.tsx'
import { CreateTenant } from './create-tenant.tsx'

const DIALOGS = { tenant: CreateTenant, domain: AddDomain, key: CreateKey } as const

export function FirstSteps() {
  // The tenant with the most of them has some if any has.
  const byDomains = useTenants('sort=-domains&take=1').data
  const byKeys = useTenants('sort=-keys&take=1').data
  const [opened, setOpened] = useState<keyof typeof DIALOGS>()
  if (!byDomains || !byKeys) return null
  const hasTenant = byDomains.count > 0
  const hasDomain = (byDomains.tenants[0]?.use.domains ?? 0) > 0
  const hasKey = (byKeys.tenants[0]?.use.keys ?? 0) > 0
  const Dialog = opened && DIALOGS[opened]
  const done = [hasTenant, hasDomain, hasKey].filter(Boolean).length
  if (done === 3 && !Dialog) return null
  return (
    <section className="box stack gap-12 check-steps" aria-label="First steps">
      <h2>First steps: {done} of 3 done</h2>
      <ol className="stack gap-12">
        <Step isDone={hasTenant} title="Create a tenant">
          <p className="small soft">
            A customer, or a part of your own company. It sees only its own domains and mail.
          </p>
          {!hasTenant && (
            <Button look="strong" className="check-action" onClick={() => setOpened('tenant')}>
              Create the first tenant
            </Button>
          )}
        </Step>
        <Step isDone={hasDomain} title="Add a domain that it sends from">
          <p className="small soft">Events belong to a sender domain. You get the DNS records to publish for it.</p>
          {hasTenant && !hasDomain && (
            <Button look="strong" className="check-action" onClick={() => setOpened('domain')}>
              Add the first domain
            </Button>
          )}
        </Step>
        <Step isDone={hasKey} title="Create keys">
          <p className="small soft">
            One for the tenant, to read its log; and one with the scope <code>ingest</code> for your mail server, to
            send events.{' '}
            <a className="in-text" href="/docs/guide">
              How to connect a mail server
            </a>
          </p>
          {hasTenant && !hasKey && (
            <Button look={hasDomain ? 'strong' : 'plain'} className="check-action" onClick={() => setOpened('key')}>
              Create the first key
            </Button>
          )}
        </Step>
      </ol>
      {Dialog && <Dialog onClose={() => setOpened(undefined)} />}
    </section>
  )
}
