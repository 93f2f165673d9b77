/** A DNS record: where it goes in both forms that panels ask for, its value, and after a check what was found instead. */
import type { PublishedRecord } from '../../../src/http/v1/domains.wire.ts'
import type { CheckedRecord } from '../../../src/http/v1/verify-domain.wire.ts'
import { CopyButton } from '../kit/copy-button.tsx'
import { Lamp, type LampState } from '../kit/lamp.tsx'
import { printable } from '../kit/printable.ts'
import { splitDifference } from './split-difference.ts'

const PURPOSES: Readonly<Record<PublishedRecord['purpose'], { readonly title: string; readonly why: string }>> = {
  DKIM: { title: 'DKIM', why: 'lets receivers check that a message was signed by you' },
  SPF: { title: 'SPF', why: 'says which servers may send for the domain' },
  DMARC: { title: 'DMARC', why: 'says what receivers do with mail that passes neither' },
  RETURN_PATH: { title: 'Return path', why: 'bounces come back to us' },
  TRACKING: { title: 'Tracking', why: 'links and opens under your own name' },
  MX: { title: 'MX', why: 'replies and reports come to us' },
}

export function RecordCard({ record }: { readonly record: PublishedRecord | CheckedRecord }) {
  const { purpose, type, name, host, zone, value, required, status, error } = record
  const { title, why } = PURPOSES[purpose]
  const lamp: LampState =
    status === 'valid' ? 'good' : status === 'invalid' ? (required ? 'bad' : 'warning') : 'unknown'
  const warnings = 'warnings' in record ? record.warnings : []
  return (
    <article className="box record" data-status={status}>
      <header className="record-head">
        <Lamp state={lamp} label={title} word={STATUS_WORDS[status]} />
        <span className="muted record-why">
          {required ? 'required' : 'recommended'} · {why}
        </span>
      </header>
      <dl className="record-fields">
        <CopyField name="Type" value={type} />
        <CopyField name="Host" value={host} note={`in the zone ${zone}`} />
        <CopyField name="Full name" value={name} />
        <CopyField name="Value" value={value} />
      </dl>
      {type === 'TXT' && value.length > STRING_LENGTH && (
        <p className="record-strings muted">
          For a form that takes {STRING_LENGTH} characters at a time:
          <CopyButton text={() => inStrings(value)} label="Copy in strings" isWordy />
        </p>
      )}
      {error !== undefined && <p className="record-error foreign">{printable(error)}</p>}
      {(status === 'invalid' || error !== undefined) && <Comparison record={record} />}
      {warnings.length > 0 && (
        <ul className="record-warnings">
          {warnings.map((warning) => (
            <li key={warning} className="foreign">
              {printable(warning)}
            </li>
          ))}
        </ul>
      )}
      {'asked' in record && record.asked.length > 0 && <Asked record={record} />}
    </article>
  )
}

/** RFC 1035 section 3.3.14: a string of a TXT record has at most 255 bytes. Most forms split longer ones by themselves. */
const STRING_LENGTH = 255

function inStrings(value: string): string {
  return (value.match(/.{1,255}/g) ?? []).map((text) => JSON.stringify(text)).join(' ')
}

const STATUS_WORDS: Readonly<Record<PublishedRecord['status'], string>> = {
  valid: 'right',
  invalid: 'missing or wrong',
  pending: 'not checked yet',
  unknown: 'DNS could not be asked',
}

function CopyField({ name, value, note }: { readonly name: string; readonly value: string; readonly note?: string }) {
  return (
    <div className="record-field">
      <dt>{name}</dt>
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

/** Wanted and found, one above the other, with what differs marked. */
function Comparison({ record }: { readonly record: PublishedRecord }) {
  const [wanted = record.value] = record.wanted
  const [found, ...others] = record.found
  const parts = found === undefined ? undefined : splitDifference(wanted, found)
  return (
    <div className="comparison" role="group" aria-label="Wanted and found">
      <div className="comparison-row">
        <span className="comparison-name">wanted</span>
        <code className="foreign">{parts ? <Marked parts={parts.wanted} kind="wanted" /> : printable(wanted)}</code>
      </div>
      <div className="comparison-row">
        <span className="comparison-name">found</span>
        <code className="foreign">
          {parts ? (
            <Marked parts={parts.found} kind="found" />
          ) : (
            <span className="muted">{record.status === 'unknown' ? 'no answer' : 'nothing'}</span>
          )}
        </code>
      </div>
      {others.map((other) => (
        <div key={other} className="comparison-row">
          <span className="comparison-name">and</span>
          <code className="foreign">{printable(other)}</code>
        </div>
      ))}
    </div>
  )
}

interface MarkedProps {
  readonly parts: readonly [string, string, string]
  readonly kind: 'wanted' | 'found'
}

function Marked({ parts: [same, other, rest], kind }: MarkedProps) {
  return (
    <>
      {printable(same)}
      {other !== '' && <mark className={`mark-${kind}`}>{printable(other)}</mark>}
      {printable(rest)}
    </>
  )
}

const ANSWERS: Readonly<Record<CheckedRecord['asked'][number]['answer'], string>> = {
  records: '',
  alias: '',
  alias_loop: 'goes in a circle',
  no_such_name: 'no such name',
  no_such_type: 'no such record',
  unreachable: 'no answer',
  stale: 'remembers an older answer',
}

function Asked({ record }: { readonly record: CheckedRecord }) {
  const servers = record.asked.map(({ server, answer }) => `${server}${ANSWERS[answer] ? ` (${ANSWERS[answer]})` : ''}`)
  return <p className="record-asked muted foreign">Asked {printable([...new Set(servers)].join(', '))}</p>
}
