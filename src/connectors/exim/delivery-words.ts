/** What became of one recipient, as Exim's lines `=>`, `->`, `>>`, `==` and `**` tell it: deliver.c. */
import { unescapeText, unquote } from './exim-text.ts'

export interface DeliveryWords {
  readonly peerName: string | undefined
  readonly tls: { readonly version: string; readonly cipher: string } | undefined
  /** Envelope sender, with sender_on_delivery among the log selectors. */
  readonly sender: string | undefined
  /** The answer of the server, or what Exim says about it; not escaped any more. */
  readonly text: string | undefined
}

/** ` R=dnslookup T=remote_smtp H=mx.example.org [192.0.2.1]:25* X=… CV=no DN="…" C="…" K`, in whatever order. */
const FIELDS =
  /(?: (?:[A-Z][A-Za-z]{0,5}=(?:"(?:[^"\\]|\\.)*"|<[^<>]*>|\S+?(?=:? |:?$))|DS|K|L\*?|PRDR|TFO\*{0,2})| \[[^\]]*\](?::\d+)?\*?)*/sy

const HOST = / H=(\S+)(?: DS)? \[/
const TLS = / X=([^\s:]+):(\S+?):\d+/
const SENDER = /^ F=<([^<>]*)>/
const CONFIRMATION = / C="((?:[^"\\]|\\.)*)"/s
const DEFERRAL = /^(?: routing)? defer \((-?\d+)\)(?:: ([^:]*?)(?= H=|: |$))?/s

/** A message that was taken. */
export function parseDelivery(rest: string): DeliveryWords {
  const confirmation = CONFIRMATION.exec(rest)
  const text = confirmation?.[1] === undefined ? undefined : unescapeText(unquote(confirmation[1]))
  // The server chose what it says: no field is looked for in it.
  return { ...fieldsOf(rest.slice(0, confirmation?.index)), text }
}

/** A message that was refused for good. */
export function parseFailure(rest: string): DeliveryWords {
  const { fields, message } = cut(rest)
  return { ...fieldsOf(fields), text: unescapeText(message.replace(/ DT=[\d.dhms]+$/, '')) }
}

/** A message that stays. Undefined for words that are no deferral. */
export function parseDeferral(rest: string): DeliveryWords | undefined {
  const { fields, message } = cut(rest)
  const [start, number, systemError] = DEFERRAL.exec(message) ?? []
  if (start === undefined) return undefined
  // Exim's own numbers are not above 0 and have no words of their own: what follows them is the message.
  const isOfSystem = Number(number) > 0
  const after = cut(isOfSystem ? message.slice(start.length) : message.replace(/^(?: routing)? defer \(-?\d+\)/, ''))
  const text = [isOfSystem ? systemError : undefined, after.message].filter(Boolean).join(': ')
  return { ...fieldsOf(fields + after.fields), text: text === '' ? undefined : unescapeText(text) }
}

/** Before the message, and the message. */
function cut(rest: string): { readonly fields: string; readonly message: string } {
  FIELDS.lastIndex = 0
  const [fields = ''] = FIELDS.exec(rest) ?? []
  return { fields, message: rest.slice(fields.length).replace(/^ ?: ?/, '') }
}

function fieldsOf(fields: string): Pick<DeliveryWords, 'peerName' | 'tls' | 'sender'> {
  const [, version, cipher] = TLS.exec(fields) ?? []
  return {
    peerName: HOST.exec(fields)?.[1],
    tls: version === undefined || cipher === undefined ? undefined : { version: versionName(version), cipher },
    sender: SENDER.exec(fields)?.[1],
  }
}

/** `TLS1.3` of GnuTLS and `TLSv1.3` of OpenSSL are the same. */
function versionName(name: string): string {
  return name.replace(/^TLS(?=\d)/, 'TLSv')
}
