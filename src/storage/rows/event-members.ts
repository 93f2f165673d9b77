/**
 * The parts of an event that many events share, as JSON members: `,"a":1,"b":"x"`. Few servers receive most mail and few
 * mailings are most of it, so that the text written for one event is found again for the next.
 */
import { type EmailEvent, EVENT_TYPES, type EventExtension } from '../../events/event.ts'
import { Recent } from '../../lib/recent.ts'

interface KnownMembers<T> {
  readonly fields: T
  readonly members: string
}

type Mailing = ReturnType<typeof mailingOf>

/** Texts that are remembered, of each kind. */
const KNOWN_MAX = 1000

/** By From. */
const mailings = new Recent<KnownMembers<Mailing>>(KNOWN_MAX)

export function findMailing(event: EmailEvent): string {
  const known = mailings.find(event.from ?? '')
  if (known && isSameMailing(known.fields, event)) return known.members
  const fields = mailingOf(event)
  const members = toMembers(fields)
  mailings.keep(event.from ?? '', { fields, members })
  return members
}

function isSameMailing(a: Mailing, b: EmailEvent): boolean {
  return (
    a.from === b.from &&
    a.direction === b.direction &&
    a.campaign === b.campaign &&
    a.reception_protocol === b.reception_protocol
  )
}

type Circumstance = ReturnType<typeof circumstanceOf>

/** By type, then by the receiving server: the other fields hardly ever change. */
const circumstances = new Map(EVENT_TYPES.map((type) => [type, new Recent<KnownMembers<Circumstance>>(KNOWN_MAX)]))

/** The fields that our own tracking adds differ with each click: not worth remembering. The others of the extension are stored elsewhere. */
export function findCircumstance(event: EmailEvent, extension: EventExtension = {}): string {
  if (extension.url !== undefined || extension.machine !== undefined) return toMembers(circumstanceOf(event, extension))
  const recent = circumstances.get(event.type)
  const known = recent?.find(event.peer_name ?? '')
  if (known && isSameCircumstance(known.fields, event)) return known.members
  const fields = circumstanceOf(event)
  const members = toMembers(fields)
  recent?.keep(event.peer_name ?? '', { fields, members })
  return members
}

function isSameCircumstance(a: Circumstance, b: EmailEvent): boolean {
  return (
    a.response_enhanced_code === b.response_enhanced_code &&
    a.provider_name === b.provider_name &&
    a.peer_name === b.peer_name &&
    a.bounce_classification === b.bounce_classification &&
    a.num_attempts === b.num_attempts &&
    a.delivery_protocol === b.delivery_protocol &&
    a.tls_protocol_version === b.tls_protocol_version &&
    a.tls_cipher === b.tls_cipher
  )
}

/** The order of the fields is part of the event's key: fields may be added at the end, never moved. */
function circumstanceOf(event: EmailEvent, extension: EventExtension = {}) {
  return {
    response_enhanced_code: event.response_enhanced_code,
    provider_name: event.provider_name,
    peer_name: event.peer_name,
    bounce_classification: event.bounce_classification,
    num_attempts: event.num_attempts,
    delivery_protocol: event.delivery_protocol,
    tls_protocol_version: event.tls_protocol_version,
    tls_cipher: event.tls_cipher,
    url: extension.url,
    machine: extension.machine,
  }
}

/** The order of the fields is part of the message's identity, as above. */
function mailingOf(event: EmailEvent) {
  return {
    from: event.from,
    direction: event.direction,
    campaign: event.campaign,
    reception_protocol: event.reception_protocol,
  }
}

/** `,"a":1,"b":"x"` for the fields that are present. */
function toMembers(fields: object): string {
  const text = JSON.stringify(fields)
  return text === '{}' ? '' : `,${text.slice(1, -1)}`
}
