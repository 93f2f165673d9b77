'use strict'

/**
 * The properties of a message at reception, stored in transaction.notes, which Haraka writes to the queue file: all later
 * records are made from them, after a restart too.
 */

/** Longer texts would only fill the queue. */
const TEXT_LENGTH_MAX = 2000
const SERVICE_MESSAGE_ID = /^x-[a-z0-9]+-message-id$/

function noteMessage(transaction, { connection, campaignHeader } = {}) {
  const { uuid: id, notes, header } = transaction
  if (notes.envelog?.id === id) return
  notes.envelog = withoutUndefined({
    id,
    time: Math.floor(Date.now() / 1000),
    from: headerText(header, 'From'),
    subject: headerText(header, 'Subject'),
    // Zero for messages that plugins send.
    size: transaction.data_bytes || undefined,
    reception_protocol: connection && protocolOf(connection),
    campaign: campaignHeader ? headerText(header, campaignHeader) : undefined,
    service_message_id: serviceMessageId(header),
  })
}

/** Unfolded, otherwise as in the message. */
function headerText(header, name) {
  const value = header.get(name)
  if (typeof value !== 'string' || value.trim() === '') return undefined
  return value
    .replace(/\r?\n(?=[ \t])/g, '')
    .trim()
    .slice(0, TEXT_LENGTH_MAX)
}

function serviceMessageId(header) {
  const name = Object.keys(header.headers ?? {}).find((candidate) => SERVICE_MESSAGE_ID.test(candidate.toLowerCase()))
  return name === undefined ? undefined : headerText(header, name)
}

/** The names of RFC 3848. */
function protocolOf({ hello, tls, notes }) {
  const base = hello?.verb === 'EHLO' ? 'ESMTP' : 'SMTP'
  if (base === 'SMTP') return base
  return `${base}${tls?.enabled ? 'S' : ''}${notes?.auth_user ? 'A' : ''}`
}

/** The note of a queued message; only its id if it was queued before this plugin was installed. */
function noteOf(todo) {
  const id = todo.uuid.replace(/\.\d+$/, '')
  const note = todo.notes?.envelog
  // Plugins may send several messages with the same notes.
  return note?.id === id ? note : { id }
}

function withoutUndefined(fields) {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

module.exports = { noteMessage, noteOf, withoutUndefined }
