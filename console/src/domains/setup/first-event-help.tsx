/** How the first event of a domain comes about. */
import type { DomainDetail } from '../../../../src/http/v1/domains/domains.wire.ts'
import { CopyButton } from '../../kit/copy-button.tsx'
import { printable } from '../../kit/text/printable.ts'
import { firstEventCommand } from './first-event-command.ts'

export function FirstEventHelp({
  domain: { name, proven },
}: {
  readonly domain: Pick<DomainDetail, 'name' | 'proven'>
}) {
  if (!proven) {
    return <p className="small soft">Events of the domain are accepted as soon as its records are found.</p>
  }
  const command = firstEventCommand(name)
  return (
    <>
      <p className="small soft">
        Send a message from an address at {name} through your mail server. Its first event appears here automatically.
      </p>
      <details className="small">
        <summary>Send an event by hand</summary>
        <div className="stack checklist-command">
          <p className="soft">
            With a key that has the scope <code>ingest</code>, which the operator creates:
          </p>
          <pre className="code-block">{printable(command)}</pre>
          <div>
            <CopyButton text={command} label="Copy command" hasLabel />
          </div>
        </div>
      </details>
    </>
  )
}
