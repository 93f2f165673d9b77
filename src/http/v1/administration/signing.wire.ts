/** /v1/admin/return-paths and /v1/admin/tracking-secret: what mail servers need to sign. */
import * as t from '../../../lib/json-schema.ts'

export const ReturnPathBody = t.object({
  domain: t.text('The sender domain.'),
  messageId: t.text('Message id: the `id` of its events. No control characters.', { minLength: 1, maxLength: 255 }),
  recipient: t.optional(t.text('The recipient it is valid for. Default: all recipients of the message.')),
  host: t.optional(t.text('The part after the @. Default: the configured label below the domain.')),
})

export const ReturnPathSchema = t.named('ReturnPath', {
  address: t.text('The return path (envelope sender).'),
  envelopeId: t.text('The ENVID parameter of MAIL FROM (RFC 3461).'),
  header: t.text('A header line for the message.'),
})
export type ReturnPath = t.Static<typeof ReturnPathSchema>

export const ReferenceBody = t.object({
  text: t.text('A return path, an envelope id or the header.'),
  recipient: t.optional(t.text('Needed if it was made for one recipient.')),
})

export const ProvenReferenceSchema = t.named('ProvenReference', {
  domain: t.text(),
  messageId: t.text(),
  recipient: t.textOrNull('Null if it is valid for all recipients of the message.'),
})
export type ProvenReference = t.Static<typeof ProvenReferenceSchema>

export const ReferenceKeySchema = t.named('ReferenceKey', { key: t.text('Hexadecimal digits.') })
export type ReferenceKey = t.Static<typeof ReferenceKeySchema>

export const TrackingSecretSchema = t.named('TrackingSecret', { secret: t.text('32 bytes, base64url.') })
export type TrackingSecret = t.Static<typeof TrackingSecretSchema>
