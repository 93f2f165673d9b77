/** Whose message it is, for an operator. On a telephone the panel covers the bar that says so. */
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import type { AdminDomainDetail } from '../../../src/http/v1/administration/domains/domains.wire.ts'
import { baseOf, useReading } from '../api/reading.ts'
import { printable } from '../kit/text/printable.ts'
import { logLink } from '../search/log-search.ts'

interface OwnerProps {
  readonly id: string
  readonly domain: string
}

export function Owner({ id, domain }: OwnerProps) {
  const { isOperator } = useReading()
  const { data } = useQuery<AdminDomainDetail>({
    queryKey: [`/v1/admin/domains/${encodeURIComponent(domain)}`],
    enabled: isOperator,
  })
  if (!isOperator) return null
  return (
    <p className="muted">
      Tenant{' '}
      {data ? (
        <Link className="in-text" href={`~${baseOf(data.tenant.id)}${logLink({ message: id, messageDomain: domain })}`}>
          <bdi className="foreign">{printable(data.tenant.name)}</bdi>
        </Link>
      ) : (
        '…'
      )}
    </p>
  )
}
