/** The records to publish: one by one, and all of them as a zone file. */
import type { DomainDetail } from '../../../../src/http/v1/domains/domains.wire.ts'
import type { CheckedRecord } from '../../../../src/http/v1/domains/verify-domain.wire.ts'
import { Button } from '../../kit/button.tsx'
import { CopyButton } from '../../kit/copy-button.tsx'
import { RecordCard } from './record-card.tsx'
import { toZoneFile } from './zone-file.ts'

interface RecordListProps {
  readonly domain: DomainDetail
  /** Of the check that was made on this page, if there was one. */
  readonly checked: readonly CheckedRecord[] | undefined
}

export function RecordList({ domain, checked }: RecordListProps) {
  return (
    <section className="stack section" aria-label="Records">
      <div className="row wrap spread">
        <h2>Records to publish</h2>
        <div className="row wrap">
          <CopyButton text={() => toZoneFile(domain)} label="Copy as zone file" hasLabel />
          <Button look="quiet" icon="export" onClick={() => download(domain)}>
            Download zone file
          </Button>
        </div>
      </div>
      <ul className="stack gap-12">
        {domain.records.map((record, index) => (
          <li key={`${record.purpose} ${record.name}`}>
            <RecordCard record={checked?.[index] ?? record} />
          </li>
        ))}
      </ul>
    </section>
  )
}

function download(domain: DomainDetail): void {
  const url = URL.createObjectURL(new Blob([toZoneFile(domain)], { type: 'text/dns' }))
  const link = document.createElement('a')
  link.href = url
  link.download = `${domain.name}.zone`
  link.click()
  // Later: the download reads it.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
