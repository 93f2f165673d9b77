/** Section 2.1 of the interface: an event of the log, as it is served and as native ingest accepts it. */
import { EVENT_TYPES } from '../../events/event.ts'
import * as t from '../../lib/json-schema.ts'

export const LOG_EVENT = 'EmailLogEvent'

const perhaps = (description: string) => t.optional(t.text(description))

/** A function because the operator's brand is part of one field's name. */
export function logEventSchema(serviceMessageIdField: string) {
  return t.named(
    LOG_EVENT,
    'An event in the life of one message. Unknown fields are omitted, never null; only `campaign` may be null. `Opened` ' +
      "and `Click` events from Envelog's own tracking have two additional members: `url`, the target of a click, and " +
      '`machine`, present if the request was automated.',
    {
      id: t.text('Message id. Shared by all events of the message; usable as the `message_id` filter.'),
      timestamp: t.count('Event time, Unix seconds.'),
      type: t.oneOf(EVENT_TYPES, 'What happened.'),
      domain_name: t.text('Sender domain.'),
      recipient: t.text('Recipient address.'),
      sender: perhaps('Envelope sender address; empty for the null reverse-path of a bounce.'),
      from: perhaps('Full From header including display name.'),
      subject: perhaps('Email subject.'),
      response_code: t.optional(
        t.integer(
          'SMTP or internal response code: 250 success, 4xx temporary, 5xx permanent, 400 an internal code ' +
            '(connection dropped, or a Delayed retry).',
          { minimum: 0, maximum: 999 },
        ),
      ),
      response_content: perhaps('Response text from the receiving server, or internal error.'),
      response_enhanced_code: perhaps('Enhanced status code in dotted form; may be empty.'),
      provider_name: perhaps('Normalized name of the receiving provider.'),
      peer_name: perhaps('Hostname of the receiving mail server. Present once a connection was made.'),
      bounce_classification: perhaps('Failure category assigned by the sending engine.'),
      num_attempts: t.optional(t.count('Delivery attempts made at the time of the event.')),
      size: t.optional(t.count('Message size in bytes.')),
      [serviceMessageIdField]: perhaps("The message's id in the service's own message-id header, for support."),
      direction: perhaps('Message direction, for example `outbound`.'),
      campaign: t.optional(t.orNull('string', 'Campaign identifier, when applicable.')),
      reception_protocol: perhaps('Protocol the message was received over, for example HTTP.'),
      delivery_protocol: perhaps('Protocol used to deliver to the recipient server, for example ESMTP.'),
      tls_protocol_version: perhaps('TLS version used for delivery.'),
      tls_cipher: perhaps('TLS cipher used for delivery.'),
    },
  )
}
