/** /v1/admin/return-paths: signed addresses to which bounce messages and complaints return. */
import { type Static, Type } from 'typebox'
import { named, textOrNull } from '../../schema.wire.ts'

export const ReturnPathBody = Type.Object({
  domain: Type.String({ description: 'The sender domain.' }),
  messageId: Type.String({
    minLength: 1,
    maxLength: 255,
    description: 'Message id: the `id` of its events. No control characters.',
  }),
  recipient: Type.Optional(
    Type.String({ description: 'The recipient it is valid for. Default: all recipients of the message.' }),
  ),
  host: Type.Optional(
    Type.String({ description: 'The part after the @. Default: the configured label below the domain.' }),
  ),
})

export const ReturnPathSchema = named(
  'ReturnPath',
  Type.Object({
    address: Type.String({ description: 'The return path (envelope sender).' }),
    envelopeId: Type.String({ description: 'The ENVID parameter of MAIL FROM (RFC 3461).' }),
    header: Type.String({ description: 'A header line for the message.' }),
  }),
)
export type ReturnPath = Static<typeof ReturnPathSchema>

export const ReferenceBody = Type.Object({
  text: Type.String({ description: 'A return path, an envelope id or the header.' }),
  recipient: Type.Optional(Type.String({ description: 'Needed if it was made for one recipient.' })),
})

export const ProvenReferenceSchema = named(
  'ProvenReference',
  Type.Object({
    domain: Type.String(),
    messageId: Type.String(),
    recipient: textOrNull('Null if it is valid for all recipients of the message.'),
  }),
)
export type ProvenReference = Static<typeof ProvenReferenceSchema>

export const ReferenceKeySchema = named(
  'ReferenceKey',
  Type.Object({ key: Type.String({ description: 'Hexadecimal digits.' }) }),
)
export type ReferenceKey = Static<typeof ReferenceKeySchema>
