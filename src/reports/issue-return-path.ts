/** Makes signed return paths for messages, and says what such an address proves. */
import type { DomainStore } from '../domains/domain-store.ts'
import { requireDomain } from '../domains/require-domain.ts'
import { AppError } from '../lib/app-error.ts'
import type { References } from './reference.ts'
import { findFullReference, findInAddress, makeFullReference, makeReturnPath, REFERENCE_HEADER } from './return-path.ts'

export interface IssueReturnPathDeps {
  readonly references: References
  readonly domains: Pick<DomainStore, 'findByName'>
  /** The label below the sender domain that return paths have by default. */
  readonly returnPathLabel: string
}

export interface ReturnPathRequest {
  readonly domain: string
  readonly messageId: string
  /** Without one it is for all recipients of the message. */
  readonly recipient?: string
  /** What follows the @. */
  readonly host?: string
}

export interface IssuedReturnPath {
  readonly address: string
  readonly envelopeId: string
  /** The whole header line. */
  readonly header: string
}

/** Throws AppError `domain_not_found` or `invalid_request`. */
export async function issueReturnPath(
  { references, domains, returnPathLabel }: IssueReturnPathDeps,
  { messageId, recipient, host, ...request }: ReturnPathRequest,
): Promise<IssuedReturnPath> {
  const { name: domain } = await requireDomain(domains, request.domain)
  // A line end inside the id would let the signature stand for something else.
  if (messageId === '' || messageId.length > 255 || /\p{Cc}/u.test(messageId)) {
    throw new AppError(
      'invalid_request',
      'The message id must have 1 to 255 characters, none of them control characters.',
    )
  }
  const subject = { domain, messageId, recipient }
  const envelopeId = makeFullReference(references, subject)
  const address = makeReturnPath(references, subject, host ?? `${returnPathLabel}.${domain}`)
  return { address, envelopeId, header: `${REFERENCE_HEADER}: ${envelopeId}` }
}

export interface ProvenReference {
  readonly domain: string
  readonly messageId: string
  /** Null if it is for all recipients of the message. */
  readonly recipient: string | null
}

/** `text`: a return path, an envelope id or our header. Throws AppError `invalid_request`. */
export function verifyReturnPath(references: References, text: string, recipient?: string): ProvenReference {
  const value = text.trim().replace(new RegExp(`^${REFERENCE_HEADER}:\\s*`, 'i'), '')
  const found = findInAddress(value) ?? findFullReference(value)
  if (!found) throw new AppError('invalid_request', 'The text contains no signed reference.')
  const { reference, domains } = found
  for (const domain of domains) {
    const proven = references.findRecipient(reference, domain, recipient === undefined ? [] : [recipient])
    if (proven === undefined) continue
    return { domain, messageId: reference.messageId, recipient: proven === '' ? null : proven }
  }
  const hint = recipient === undefined ? ' If it was made for one recipient, name that recipient.' : ''
  throw new AppError('invalid_request', `It was not signed here, or not for this recipient and domain.${hint}`)
}
