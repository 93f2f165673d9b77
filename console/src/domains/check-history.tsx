/** What the latest checks of a domain found. */
import type { PastChecks } from '../../../src/http/v1/domains/domains.wire.ts'
import { Lamp, type LampState } from '../kit/marks/lamp.tsx'
import { Table } from '../kit/table.tsx'
import { formatCount } from '../kit/text/format.ts'
import { Ago } from '../kit/text/time.tsx'
import { PURPOSES } from './record/record-card.tsx'

const OUTCOMES: Readonly<Record<PastChecks['outcome'], { readonly state: LampState; readonly label: string }>> = {
  all_right: { state: 'good', label: 'All required records correct' },
  record_wrong: { state: 'bad', label: 'Records missing or wrong' },
  dns_unreachable: { state: 'unknown', label: 'DNS did not answer' },
}

const COLUMNS = ['Result', 'Missing or wrong', 'First', 'Last', { title: 'Checks', isNumber: true }]

export function CheckHistory({ history }: { readonly history: readonly PastChecks[] }) {
  if (history.length === 0) return null
  return (
    <section className="stack section" aria-labelledby="check-history">
      <h2 id="check-history">History of checks</h2>
      <Table columns={COLUMNS} label="History of checks">
        {history.map(({ outcome, wrong, firstAt, lastAt, checks }) => (
          <tr key={firstAt}>
            <td>
              <Lamp {...OUTCOMES[outcome]} word="" />
            </td>
            <td>{wrong.length === 0 ? '–' : wrong.map((purpose) => PURPOSES[purpose].title).join(', ')}</td>
            <td className="nowrap">
              <Ago at={firstAt} />
            </td>
            <td className="nowrap">
              <Ago at={lastAt} />
            </td>
            <td className="number">{formatCount(checks)}</td>
          </tr>
        ))}
      </Table>
    </section>
  )
}
