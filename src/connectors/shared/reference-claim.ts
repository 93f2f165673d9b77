/** The claim that a report is about one of our messages, which the server verifies. See docs/decisions/0013. */
import type { ToldEvent } from '../../events/ingest/connector.ts'
import { findFullReference, findInAddress } from '../../reports/return-path.ts'

/** A property of ToldEvent with the first text that has the form of a signed reference, or nothing. */
export function referenceClaim(...texts: readonly unknown[]): Pick<ToldEvent, 'reference'> {
  const reference = texts
    .filter((text) => typeof text === 'string')
    .find((text) => findInAddress(text) !== undefined || findFullReference(text) !== undefined)
  return reference === undefined ? {} : { reference }
}
