/** The steps from a new domain to its first event. Each is marked as soon as it is done; afterwards the list goes away. */
import { useRef, useState } from 'react'
import { Link } from 'wouter'
import type { DomainDetail } from '../../../../src/http/v1/domains/domains.wire.ts'
import { useRemoveDomain } from '../../api/domains.ts'
import { useAddsDomains, useScope } from '../../api/session.ts'
import { Button } from '../../kit/button.tsx'
import { TypeLabel } from '../../kit/marks/event-type.tsx'
import { Lamp } from '../../kit/marks/lamp.tsx'
import { FormDialog } from '../../kit/overlays/dialog.tsx'
import { messageOf } from '../../kit/states.tsx'
import { Step } from '../../kit/step.tsx'
import { printable } from '../../kit/text/printable.ts'
import { Ago } from '../../kit/text/time.tsx'
import { logLink } from '../../search/log-search.ts'
import { lampOf, PURPOSES } from '../record/record-card.tsx'
import { FirstEventHelp } from './first-event-help.tsx'
import { type DnsWatch, useDnsWatch } from './use-dns-watch.ts'
import { useFirstEvent } from './use-first-event.ts'
import { WatchLine } from './watch-line.tsx'
import './checklist.css'

interface ChecklistProps {
  readonly domain: DomainDetail
  readonly check: Parameters<typeof useDnsWatch>[1]
  /** Stays when everything is done. */
  readonly isAlwaysShown?: boolean
  readonly onRemoved: () => void
}

export function Checklist({ domain, check, isAlwaysShown = false, onRemoved }: ChecklistProps) {
  const { name, active, status, proven } = domain
  const watch = useDnsWatch(active && status === 'unverified', check)
  const canRead = useScope('logs')
  const event = useFirstEvent(name, proven)
  const [isHidden, setHidden] = useHidden(name)
  const isFound = domain.verified
  const isDone = isFound && (!canRead || event !== null)
  // Somebody who has watched the last step being done should see that.
  const wasOpen = useRef(false)
  if (!isDone && active) wasOpen.current = true
  if (!active || (canRead && event === undefined)) return null
  if (!isAlwaysShown && (isHidden || !wasOpen.current)) return null
  // Below the title of the panel, or of the page.
  const Heading = isAlwaysShown ? 'h3' : 'h2'
  const steps = [true, isFound, ...(canRead ? [event !== null] : [])]
  const done = steps.filter(Boolean).length
  return (
    <section className="box stack gap-12 check-steps" aria-label="Setup">
      <div className="row wrap spread">
        <Heading>{isDone ? 'The domain is ready' : `Setup: ${done} of ${steps.length} steps done`}</Heading>
        <div className="row">
          {!proven && <RemoveButton name={name} onRemoved={onRemoved} />}
          {!isAlwaysShown && (
            <Button look="quiet" onClick={() => setHidden(true)}>
              Hide
            </Button>
          )}
        </div>
      </div>
      <ol className="stack gap-12">
        <Step isDone title="Add the domain" />
        <Step isDone={isFound} title="Publish the DNS records">
          <RecordsStep domain={domain} watch={watch} check={check} />
        </Step>
        {canRead && (
          <Step isDone={event !== null} title="Send a message">
            {event ? <ArrivedEvent event={event} /> : <FirstEventHelp domain={domain} />}
          </Step>
        )}
      </ol>
    </section>
  )
}

interface RecordsStepProps {
  readonly domain: DomainDetail
  readonly watch: DnsWatch
  readonly check: Pick<ChecklistProps['check'], 'error'>
}

function RecordsStep({ domain: { records, verified }, watch, check }: RecordsStepProps) {
  return (
    <>
      <div className="row wrap checklist-lamps">
        {records.map((record) => (
          <Lamp
            key={`${record.purpose} ${record.name}`}
            state={lampOf(record)}
            label={PURPOSES[record.purpose].title}
            {...(!record.required && { word: `${record.status === 'valid' ? 'correct' : 'missing'}, recommended` })}
          />
        ))}
      </div>
      {verified ? (
        <p className="small soft">All required records were found.</p>
      ) : (
        <p className="small soft">
          Enter the records below at your DNS provider. This page checks for them; most providers publish them within
          minutes, some within an hour.
        </p>
      )}
      <WatchLine watch={watch} />
      {check.error && (
        <p className="small field-error" role="alert">
          {messageOf(check.error)}
        </p>
      )}
    </>
  )
}

function ArrivedEvent({ event }: { readonly event: NonNullable<ReturnType<typeof useFirstEvent>> }) {
  const { id, domain_name: domain, type, recipient, timestamp } = event
  return (
    <p className="row wrap small" role="status">
      <TypeLabel type={type} />
      <span className="foreign">{printable(recipient ?? '')}</span>
      <span className="muted">
        <Ago at={timestamp * 1000} />
      </span>
      <Link className="in-text" href={logLink({ filters: { domain: [domain] }, message: id, messageDomain: domain })}>
        Open message
      </Link>
    </p>
  )
}

function RemoveButton({ name, onRemoved }: { readonly name: string; readonly onRemoved: () => void }) {
  const addsDomains = useAddsDomains()
  const [isAsking, setAsking] = useState(false)
  const remove = useRemoveDomain(onRemoved)
  if (!addsDomains) return null
  return (
    <>
      <Button look="quiet" icon="removals" onClick={() => setAsking(true)}>
        Remove domain
      </Button>
      {isAsking && (
        <FormDialog
          title="Remove domain?"
          description={`${name} and its DKIM key will be removed. If you add the domain again, it gets a new key, and you have to publish its new DKIM record. It has no events yet.`}
          action="Remove"
          look="danger"
          canSubmit={!remove.isPending}
          onClose={() => setAsking(false)}
          onSubmit={() => remove.mutate(name)}
        >
          {remove.error && (
            <p className="field-error" role="alert">
              {messageOf(remove.error)}
            </p>
          )}
        </FormDialog>
      )}
    </>
  )
}

const HIDDEN_KEY = 'envelog.hidden-checklists'
const HIDDEN_MAX = 200

/** Kept in this browser, for the domains hidden last. */
function useHidden(name: string): readonly [boolean, (isHidden: true) => void] {
  const [isHidden, setHidden] = useState(() => readHidden().includes(name))
  const hide = () => {
    setHidden(true)
    const names = [name, ...readHidden().filter((other) => other !== name)].slice(0, HIDDEN_MAX)
    localStorage.setItem(HIDDEN_KEY, JSON.stringify(names))
  }
  return [isHidden, hide]
}

/** Other programs may have written there. */
function readHidden(): readonly string[] {
  try {
    const names: unknown = JSON.parse(localStorage.getItem(HIDDEN_KEY) ?? '[]')
    return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : []
  } catch {
    return []
  }
}
