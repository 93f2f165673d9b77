/** Section 2.1 of the interface: an event of the log, as it is served and as native ingest accepts it. */
import { Type } from 'typebox'
import { EVENT_TYPES } from '../../events/event.ts'

export const LOG_EVENT = 'EmailLogEvent'

const text = (description: string) => Type.Optional(Type.String({ description }))
const count = (description: string) => Type.Optional(Type.Integer({ minimum: 0, description }))

/** A function because the operator's brand is part of one field's name. */
export function logEventSchema(serviceMessageIdField: string) {
  return Type.Object(
    {
      id: Type.String({
        description: 'Message id. Shared by all events of the message; usable as the `message_id` filter.',
      }),
      timestamp: Type.Integer({ minimum: 0, description: 'Event time, Unix seconds.' }),
      type: Type.Enum([...EVENT_TYPES], { type: 'string', description: 'What happened.' }),
      domain_name: Type.String({ description: 'Sender domain.' }),
      recipient: Type.String({ description: 'Recipient address.' }),
      sender: text('Envelope sender address; empty for the null reverse-path of a bounce.'),
      from: text('Full From header including display name.'),
      subject: text('Email subject.'),
      response_code: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: 999,
          description:
            'SMTP or internal response code: 250 success, 4xx temporary, 5xx permanent, 400 an internal code ' +
            '(connection dropped, or a Delayed retry).',
        }),
      ),
      response_content: text('Response text from the receiving server, or internal error.'),
      response_enhanced_code: text('Enhanced status code in dotted form; may be empty.'),
      provider_name: text('Normalized name of the receiving provider.'),
      peer_name: text('Hostname of the receiving mail server. Present once a connection was made.'),
      bounce_classification: text('Failure category assigned by the sending engine.'),
      num_attempts: count('Delivery attempts made at the time of the event.'),
      size: count('Message size in bytes.'),
      [serviceMessageIdField]: text("The message's id in the service's own message-id header, for support."),
      direction: text('Message direction, for example `outbound`.'),
      campaign: Type.Optional(
        Type.Unsafe<string | null>({ type: ['string', 'null'], description: 'Campaign identifier, when applicable.' }),
      ),
      reception_protocol: text('Protocol the message was received over, for example HTTP.'),
      delivery_protocol: text('Protocol used to deliver to the recipient server, for example ESMTP.'),
      tls_protocol_version: text('TLS version used for delivery.'),
      tls_cipher: text('TLS cipher used for delivery.'),
    },
    {
      $id: LOG_EVENT,
      description:
        'An event in the life of one message. Unknown fields are omitted, never null; only `campaign` may be null. `Opened` ' +
        "and `Click` events from Envelog's own tracking have two additional members: `url`, the target of a click, and " +
        '`machine`, present if the request was automated.',
    },
  )
}
