/** For a tenant without domains who cannot add one: what to ask the operator for. */
import { useCurrentSession } from '../../api/session.ts'
import { CopyButton } from '../../kit/copy-button.tsx'
import { Empty } from '../../kit/states.tsx'
import { printable } from '../../kit/text/printable.ts'

export function NoDomains() {
  const { principal } = useCurrentSession()
  const tenant = principal.kind === 'tenant' ? principal.tenant.name : ''
  const command = `envelog domain add example.com --tenant ${shellWord(tenant)} --active`
  return (
    <Empty icon="domains" title="No domains yet">
      <p>
        Your key cannot add domains. Ask the operator of this service to add the domain that you send from; its DNS
        records then appear here. On the server, the command is:
      </p>
      <pre className="code-block">{printable(command)}</pre>
      <CopyButton text={command} label="Copy command" hasLabel />
    </Empty>
  )
}

/** As one word for a POSIX shell. */
function shellWord(text: string): string {
  return /^[\w.-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
}
