'use strict'

/** The records for POST /ingest/haraka, one per hook call. */
const { attemptNumber, connectionOf } = require('./attempts')
const { noteOf, withoutUndefined } = require('./message-note')

/** Deterministic, so that Envelog recognizes the record of a message that was received before a restart. */
function receptionRecord(note, sender, recipients) {
  const { time, ...message } = note
  return { hook: 'queue_ok', time, ...message, sender, recipients: recipients.map((address) => ({ address })) }
}

function outcomeRecord(hook, hmail, recipients, { mx, ...more }) {
  const { time: _received, ...message } = noteOf(hmail.todo)
  const { host, localAddress, tls } = connectionOf(hmail, mx) ?? {}
  return withoutUndefined({
    hook,
    time: Math.floor(Date.now() / 1000),
    ...message,
    sender: addressOf(hmail.todo.mail_from),
    attempt: attemptNumber(hmail),
    host,
    local_address: localAddress,
    tls,
    ...more,
    recipients: recipients.map(recipientFields),
  })
}

function recipientFields(recipient) {
  return withoutUndefined({
    address: addressOf(recipient),
    code: recipient.dsn_smtp_code,
    enhanced: recipient.dsn_smtp_extc,
    response: recipient.dsn_smtp_response,
  })
}

/** A property since Haraka 3.2, a method before. */
function addressOf(value) {
  const { address } = value ?? {}
  return String((typeof address === 'function' ? value.address() : address) ?? '')
}

module.exports = { addressOf, outcomeRecord, receptionRecord }
