/** Parses the outcome for one recipient, from Exim's lines `=>`, `->`, `>>`, `==` and `**` (deliver.c). */
import { unescapeText, unquote } from './exim-text.ts'

export interface ParsedDelivery {
  readonly peerName: string | undefined
  /** The address that it was sent from (I=), if the log selector incoming_interface is set. */
  readonly localAddress: string | undefined
  /** The transport (T=). */
  readonly transport: string | undefined
  readonly tls: { readonly version: string; readonly cipher: string } | undefined
  /** Envelope sender, logged with the log selector sender_on_delivery. */
  readonly sender: string | undefined
  /** The server's reply or Exim's own message, unescaped. */
  readonly text: string | undefined
}

/** ` R=dnslookup T=remote_smtp H=mx.example.org [192.0.2.1]:25* X=… CV=no DN="…" C="…" K`, in any order. */
const FIELDS =
  /(?: (?:[A-Z][A-Za-z]{0,5}=(?:"(?:[^"\\]|\\.)*"|<[^<>]*>|\S+?(?=:? |:?$))|DS|K|L\*?|PRDR|TFO\*{0,2})| \[[^\]]*\](?::\d+)?\*?)*/sy

const HOST = / H=(\S+)(?: DS)? \[/
/** Others control the content, such as the name in a certificate: no fields are searched in it. */
const QUOTED = /="(?:[^"\\]|\\.)*"/gs
const LOCAL_ADDRESS = / I=\[([^\]]*)\]/
const TRANSPORT = / T=(\S+?)(?=:? |:?$)/
const TLS = / X=([^\s:]+):(\S+?):\d+/
const SENDER = /^ F=<([^<>]*)>/
const CONFIRMATION = / C="((?:[^"\\]|\\.)*)"/s
const DEFERRAL = /^(?: routing)? defer \((-?\d+)\)(?:: ([^:]*?)(?= H=|: |$))?/s

/** An accepted message. */
export function parseDelivery(rest: string): ParsedDelivery {
  const confirmation = CONFIRMATION.exec(rest)
  const text = confirmation?.[1] === undefined ? undefined : unescapeText(unquote(confirmation[1]))
  // The server controls its reply, so no fields are searched in it.
  return { ...fieldsOf(rest.slice(0, confirmation?.index)), text }
}

/** A permanent failure. */
export function parseFailure(rest: string): ParsedDelivery {
  const { fields, message } = cut(rest)
  return { ...fieldsOf(fields), text: unescapeText(message.replace(/ DT=[\d.dhms]+$/, '')) }
}

/** Undefined if the line is not a deferral. */
export function parseDeferral(rest: string): ParsedDelivery | undefined {
  const { fields, message } = cut(rest)
  const [start, number, systemError] = DEFERRAL.exec(message) ?? []
  if (start === undefined) return undefined
  // Only system errors (above 0) have a text of their own; Exim's own numbers are directly followed by the message.
  const isSystemError = Number(number) > 0
  const after = cut(isSystemError ? message.slice(start.length) : message.replace(/^(?: routing)? defer \(-?\d+\)/, ''))
  const text = [isSystemError ? systemError : undefined, after.message].filter(Boolean).join(': ')
  return { ...fieldsOf(fields + after.fields), text: text === '' ? undefined : unescapeText(text) }
}

/** Splits the fields from the message that follows them. */
function cut(rest: string): { readonly fields: string; readonly message: string } {
  FIELDS.lastIndex = 0
  const [fields = ''] = FIELDS.exec(rest) ?? []
  return { fields, message: rest.slice(fields.length).replace(/^ ?: ?/, '') }
}

function fieldsOf(written: string): Omit<ParsedDelivery, 'text'> {
  const fields = written.includes('="') ? written.replaceAll(QUOTED, '=""') : written
  const [, version, cipher] = TLS.exec(fields) ?? []
  return {
    peerName: HOST.exec(fields)?.[1],
    localAddress: LOCAL_ADDRESS.exec(fields)?.[1],
    transport: TRANSPORT.exec(fields)?.[1],
    tls: version === undefined || cipher === undefined ? undefined : { version: versionName(version), cipher },
    sender: SENDER.exec(fields)?.[1],
  }
}

/** GnuTLS writes `TLS1.3`, OpenSSL `TLSv1.3`. */
function versionName(name: string): string {
  return name.replace(/^TLS(?=\d)/, 'TLSv')
}
