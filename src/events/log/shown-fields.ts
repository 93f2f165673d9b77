/** Who may know where messages were sent from: the operator, and tenants if the operator allows it. */
import { AppError } from '../../lib/app-error.ts'
import type { LogFilters, ShownFields } from './log-query.ts'

type SendingFilters = Pick<LogFilters, `sending${string}` & keyof LogFilters>

/**
 * A filter reveals as much as the field itself. Throws AppError `forbidden`, whatever the filter asks for. To be called with the
 * filters of a cursor too: it may be older than the operator's decision.
 */
export function requireShown(filters: SendingFilters & Pick<LogFilters, 'without'>, shown?: ShownFields): void {
  if (namesSending(filters) || namesSending(filters.without ?? {})) requireSendingShown(shown)
}

function namesSending({ sendingAddresses, sendingSources, sendingPools }: SendingFilters): boolean {
  return (sendingAddresses ?? sendingSources ?? sendingPools) !== undefined
}

/** Throws AppError `forbidden`. */
export function requireSendingShown(shown?: ShownFields): void {
  if (shown === 'sending') return
  throw new AppError(
    'forbidden',
    'sending_address, sending_source and sending_pool are not shown to tenants of this installation; leave them out',
  )
}
