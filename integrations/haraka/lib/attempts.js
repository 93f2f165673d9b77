'use strict'

/**
 * Details of a delivery attempt that Haraka's hooks do not pass on: its number, the remote host, the own address, TLS, the
 * codes of the last reply, and when the next attempt will be made. Observed by wrapping Haraka's methods: if its internals
 * change, the details are missing, but nothing breaks.
 */

/** By queued message (Haraka's HMailItem). */
const attempts = new WeakMap()
/** By MX: recipients that are split off from a message have no attempt of their own. */
const connections = new WeakMap()

/**
 * Haraka counts attempts in the name of the queue file and starts from zero for recipients that it splits off. The number of
 * earlier attempts is kept in the notes of the message, which are copied to the split-off file.
 */
function beginAttempt(hmail, onDelayed) {
  const { todo } = hmail
  let attempt = attempts.get(hmail)
  if (!attempt) {
    attempt = { before: beforeOf(todo) }
    attempts.set(hmail, attempt)
    watch(hmail, attempt, onDelayed)
  }
  attempt.number = attempt.before + hmail.num_failures + 1
  attempt.connection = undefined
  todo.notes.envelog_attempts_before = attempt.number - 1
}

function attemptNumber(hmail) {
  return attempts.get(hmail)?.number ?? beforeOf(hmail.todo) + 1
}

function beforeOf(todo) {
  const before = todo.notes?.envelog_attempts_before
  return Number.isSafeInteger(before) && before >= 0 ? before : 0
}

/** The last connection of the attempt, or the one to `mx` if given. */
function connectionOf(hmail, mx) {
  return (mx && connections.get(mx)) ?? attempts.get(hmail)?.connection
}

/**
 * Calls `record` with the seconds until the next attempt, or without if there is none. Plugins whose hooks run later may change
 * the delay or have the message deleted, so it is called when Haraka acts on their answer.
 */
function whenDeferred(hmail, delay, next, record) {
  const respond = hmail.deferred_respond
  if (typeof respond !== 'function') return record(delay, next)
  const isOwn = Object.hasOwn(hmail, 'deferred_respond')
  hmail.deferred_respond = function (...args) {
    if (isOwn) hmail.deferred_respond = respond
    else delete hmail.deferred_respond
    const [code, answer] = args
    record(secondsOf(code, answer, delay), () => respond.apply(this, args))
  }
  next()
}

function secondsOf(code, answer, delay) {
  if (code === (globalThis.DENYSOFT ?? 903)) return Number.parseInt(answer, 10) || undefined
  return code === undefined || code === (globalThis.CONT ?? 900) ? delay : undefined
}

function watch(hmail, attempt, onDelayed) {
  const { try_deliver_host_on_socket: tryDeliver, send_email_respond: sendRespond } = hmail
  if (typeof tryDeliver === 'function') {
    hmail.try_deliver_host_on_socket = function (...args) {
      const [mx, host, , socket] = args
      try {
        attempt.connection = watchConnection(mx, host, socket)
        connections.set(mx, attempt.connection)
      } catch {
        // The connection stays unknown.
      }
      return tryDeliver.apply(this, args)
    }
  }
  if (typeof sendRespond === 'function') {
    hmail.send_email_respond = function (...args) {
      const [code, seconds] = args
      if (code === (globalThis.DELAY ?? 908)) onDelayed(seconds)
      return sendRespond.apply(this, args)
    }
  }
}

const REPLY = /^([2-5]\d\d)([ -])#?(?:([245]\.\d{1,3}\.\d{1,3})(?:\s|$))?/

function watchConnection(mx, host, socket) {
  const connection = { host: hostName(mx) ?? host, localAddress: (socket.targetsocket ?? socket).localAddress }
  socket.on('line', (line) => {
    const [, code, separator, enhanced] = REPLY.exec(line) ?? []
    if (separator === ' ') connection.reply = { code: Number(code), enhanced }
    // Checked for each line: TLS starts during the session.
    connection.tls ??= tlsOf(socket)
  })
  return connection
}

/** Haraka replaces `exchange` by the IP address and keeps the name in `from_dns`. */
function hostName({ exchange, from_dns: name }) {
  return typeof name === 'string' && name !== '' ? name : exchange
}

function tlsOf(socket) {
  const secure = socket.targetsocket ?? socket
  if (!socket.isEncrypted?.() || typeof secure.getCipher !== 'function') return undefined
  const version = secure.getProtocol()
  const cipher = secure.getCipher()?.name
  return version && cipher ? { version, cipher } : undefined
}

module.exports = { beginAttempt, attemptNumber, connectionOf, whenDeferred }
