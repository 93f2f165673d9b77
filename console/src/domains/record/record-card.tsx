/** A DNS record: its name in both forms that DNS panels use, its value, and what the last check found. */
import type { ReactNode } from 'react'
import type { PublishedRecord } from '../../../../src/http/v1/domains/domains.wire.ts'
import type { CheckedRecord } from '../../../../src/http/v1/domains/verify-domain.wire.ts'
import { CopyButton } from '../../kit/copy-button.tsx'
import { Lamp, type LampState } from '../../kit/marks/lamp.tsx'
import { printable } from '../../kit/text/printable.ts'
import { publishedValue } from './published-value.ts'
import { splitDifference } from './split-difference.ts'

export const PURPOSES: Readonly<Record<PublishedRecord['purpose'], { readonly title: string; readonly why: string }>> =
  {
    DKIM: { title: 'DKIM', why: 'publishes the key that receivers check your signatures with' },
    SPF: { title: 'SPF', why: 'lists the servers that may send for the domain' },
    DMARC: { title: 'DMARC', why: 'states how receivers treat mail that fails both DKIM and SPF' },
    RETURN_PATH: { title: 'Return path', why: 'directs bounce messages to this service' },
    TRACKING: { title: 'Tracking', why: 'puts tracked links and opens under your own domain' },
    MX: { title: 'MX', why: 'directs replies and reports to this service' },
  }

export function RecordCard({ record }: { readonly record: PublishedRecord | CheckedRecord }) {
  const { purpose, type, name, host, zone, value, required, status, error } = record
  const { title, why } = PURPOSES[purpose]
  const { warnings, cautions } = 'warnings' in record ? record : { warnings: [], cautions: [] }
  const published = publishedValue(record)
  const isAtRisk = status === 'valid' && cautions.length > 0
  return (
    <article className="box stack record" data-status={status}>
      <header className="row wrap record-head">
        <Lamp
          state={isAtRisk ? 'warning' : lampOf(record)}
          label={title}
          word={isAtRisk ? 'correct, with a warning' : STATUS_LABELS[status]}
        />
        <span className="muted small">
          {required ? 'required' : 'recommended'} · {why}
        </span>
      </header>
      <dl className="small">
        <CopyField name="Type" value={type} />
        <CopyField name="Host" value={host} note={`in the zone ${zone}`} />
        <CopyField name="Full name" value={name} />
        <CopyField name="Value" value={published} />
      </dl>
      {published !== value && (
        <p className="small soft record-merged">
          This value combines the records that exist already. Replace {record.found.length > 1 ? 'all of them' : 'it'}{' '}
          with this one. Without other senders, the value would be <code className="foreign">{printable(value)}</code>.
        </p>
      )}
      {type === 'TXT' && published.length > STRING_LENGTH && (
        <p className="row wrap small muted record-strings">
          For forms limited to {STRING_LENGTH} characters per string:
          <CopyButton text={() => inStrings(published)} label="Copy as strings" hasLabel />
        </p>
      )}
      {error !== undefined && <p className="record-error foreign">{printable(error)}</p>}
      {(status === 'invalid' || error !== undefined) && <Comparison record={record} />}
      {warnings.length > 0 && (
        <ul className="stack gap-4 soft record-warnings">
          {warnings.map((warning) => (
            <li key={warning} className="foreign">
              {printable(warning)}
            </li>
          ))}
        </ul>
      )}
      {'asked' in record && record.asked.length > 0 && <AskedServers record={record} />}
    </article>
  )
}

export function lampOf({ status, required }: PublishedRecord): LampState {
  if (status === 'invalid') return required ? 'bad' : 'warning'
  return status === 'valid' ? 'good' : 'unknown'
}

/** RFC 1035 section 3.3.14: a string in a TXT record has at most 255 bytes. Most forms split longer values automatically. */
const STRING_LENGTH = 255

function inStrings(value: string): string {
  return (value.match(/.{1,255}/g) ?? []).map((text) => JSON.stringify(text)).join(' ')
}

const STATUS_LABELS: Readonly<Record<PublishedRecord['status'], string>> = {
  valid: 'correct',
  invalid: 'missing or wrong',
  pending: 'not checked yet',
  unknown: 'DNS did not answer',
}

function CopyField({ name, value, note }: { readonly name: string; readonly value: string; readonly note?: string }) {
  return (
    <div className="stack record-field">
      <dt className="muted">{name}</dt>
      <dd>
        <code className="foreign">{printable(value)}</code>
        {note && <span className="muted">{note}</span>}
      </dd>
      <dd>
        <CopyButton text={value} label={`Copy ${name.toLowerCase()}`} />
      </dd>
    </div>
  )
}

/** The required and the found value, one above the other, with the difference marked. */
function Comparison({ record }: { readonly record: PublishedRecord }) {
  const required = publishedValue(record)
  const [found, ...others] = record.found
  const parts = found === undefined ? undefined : splitDifference(required, found)
  return (
    <div className="box stack comparison" role="group" aria-label="Required and found">
      <ComparisonRow name="Required">
        {parts ? <Marked parts={parts.required} kind="required" /> : printable(required)}
      </ComparisonRow>
      <ComparisonRow name="Found">
        {parts ? (
          <Marked parts={parts.found} kind="found" />
        ) : (
          <span className="muted">{record.status === 'unknown' ? 'No answer' : 'No record'}</span>
        )}
      </ComparisonRow>
      {others.map((other) => (
        <ComparisonRow key={other} name="Also found">
          {printable(other)}
        </ComparisonRow>
      ))}
    </div>
  )
}

function ComparisonRow({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div className="stack comparison-row">
      <span className="muted small">{name}</span>
      <code className="foreign">{children}</code>
    </div>
  )
}

interface MarkedProps {
  readonly parts: readonly [string, string, string]
  readonly kind: 'required' | 'found'
}

function Marked({ parts: [start, difference, end], kind }: MarkedProps) {
  return (
    <>
      {printable(start)}
      {difference !== '' && <mark className={`mark-${kind}`}>{printable(difference)}</mark>}
      {printable(end)}
    </>
  )
}

const ANSWERS: Readonly<Record<CheckedRecord['asked'][number]['answer'], string>> = {
  records: '',
  alias: '',
  alias_loop: 'CNAME loop',
  no_such_name: 'name does not exist',
  no_such_type: 'no record of this type',
  unreachable: 'no answer',
  stale: 'cached older answer',
}

function AskedServers({ record }: { readonly record: CheckedRecord }) {
  const servers = record.asked.map(({ server, answer }) => `${server}${ANSWERS[answer] ? ` (${ANSWERS[answer]})` : ''}`)
  return <p className="small muted foreign">DNS servers queried: {printable([...new Set(servers)].join(', '))}</p>
}
