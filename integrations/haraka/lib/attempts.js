'use strict'

/**
 * What Haraka's hooks do not tell about an attempt to deliver: which one it is, the host that was spoken to, TLS, and the
 * codes of its last answer. Watched from the side: where Haraka changes inside, this is not known, and nothing breaks.
 */

/** By the message in the queue (an HMailItem of Haraka). */
const attempts = new WeakMap()
/** By the MX that was tried: what is split off from a message has no attempt of its own. */
const connections = new WeakMap()

/**
 * Haraka counts the attempts of a message in the name of its queue file, and begins anew for recipients that it splits off.
 * How many there were before goes with the notes of the message, which the file of the split-off part takes over.
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

/** The last connection of the attempt; of that to `mx` where it is given. */
function connectionOf(hmail, mx) {
  return (mx && connections.get(mx)) ?? attempts.get(hmail)?.connection
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
        // Then it stays unknown.
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
  const connection = { host: hostName(mx) ?? host }
  socket.on('line', (line) => {
    const [, code, separator, enhanced] = REPLY.exec(line) ?? []
    if (separator === ' ') connection.reply = { code: Number(code), enhanced }
    // Asked each time: encryption begins in the middle.
    connection.tls ??= tlsOf(socket)
  })
  return connection
}

/** Haraka puts the address in the place of the name and keeps the name beside it. */
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

module.exports = { beginAttempt, attemptNumber, connectionOf }
