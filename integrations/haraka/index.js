'use strict'

/**
 * A plugin for Haraka 3: tells Envelog of every message that goes out and of every attempt to deliver it.
 *
 * Mail never waits for Envelog. A hook waits for the local disk, as Haraka itself does for its queue, and not longer than
 * a moment: what happens to the message goes on in any case.
 */
const cluster = require('node:cluster')
const path = require('node:path')
const { beginAttempt, connectionOf } = require('./lib/attempts')
const { noteMessage, noteOf } = require('./lib/message-note')
const { addressOf, outcomeRecord, receptionRecord } = require('./lib/records')
const { Sender } = require('./lib/sender')
const { Spool } = require('./lib/spool')
const { addTracking } = require('./lib/tracking')

/** The longest that a hook waits for the disk. */
const PATIENCE_MS = 2000
/** Before other plugins, whose answers may end a hook. */
const FIRST = -100
const LAST = 100

exports.register = function () {
  const { main, tracking } = this.config.get('envelog.ini', { booleans: ['+tracking.opens', '+tracking.clicks'] })
  if (!main.url || !main.key_file) throw new Error('envelog.ini names no url or no key_file')
  const folder = main.spool || path.join(process.env.HARAKA || '.', 'envelog-spool')
  const log = (level, text) => this[`log${level}`](text)
  this.cfg = { main, tracking: tracking ?? {} }
  this.spool = new Spool({
    folder,
    bytesMax: (Number(main.spool_megabytes) || 1024) * 1024 * 1024,
    log,
    onKept: () => this.sender.notify(),
  })
  this.sender = new Sender({ spool: this.spool, url: main.url, keyFile: main.key_file, log })
  /** Messages whose reception is in the spool: id by notes, which Haraka keeps in memory with the message. */
  this.received = new WeakMap()

  this.register_hook('init_master', 'start')
  this.register_hook('init_child', 'start')
  if (this.cfg.tracking.base_url) this.register_hook('data_post', 'track', LAST)
  this.register_hook('queue_outbound', 'note_submitted', FIRST)
  this.register_hook('pre_send_trans_email', 'note_sent', FIRST)
  this.register_hook('queue_ok', 'tell_received', FIRST)
  this.register_hook('send_email', 'begin_attempt', FIRST)
  this.register_hook('delivered', 'tell_delivered', FIRST)
  this.register_hook('deferred', 'tell_deferred', FIRST)
  this.register_hook('bounce', 'tell_bounce', FIRST)
}

/**
 * With `nodes` in smtp.ini, each of the workers has a sender of its own on the shared folder. The first process has none: it
 * handles no mail, and what it makes belongs to root, as it alone keeps the rights that it was started with.
 */
exports.start = function (next) {
  const { nodes } = this.config.get('smtp.ini').main
  if (cluster.isPrimary && nodes && nodes !== '0') return next()
  this.spool
    .open()
    .catch((error) => this.logcrit(`events are lost: the spool ${this.spool.folder} cannot be used: ${error.message}`))
    .finally(() => {
      this.sender.start()
      next()
    })
}

exports.shutdown = function () {
  this.sender.stop()
}

exports.track = function (next, connection) {
  const { transaction } = connection
  if (!transaction || !connection.relaying) return next()
  addTracking(transaction, this.cfg.tracking)
    .then((warnings) => {
      for (const warning of warnings) connection.loginfo(this, warning)
    })
    .catch((error) => connection.logerror(`a message goes out without tracking: ${error.message}`))
    .finally(() => next())
}

exports.note_submitted = function (next, connection) {
  const { transaction } = connection
  if (transaction) noteMessage(transaction, { connection, campaignHeader: this.cfg.main.campaign_header })
  next()
}

/** Everything that goes out comes by here, what other plugins send too. */
exports.note_sent = function (next, connection) {
  noteMessage(connection.transaction, { campaignHeader: this.cfg.main.campaign_header })
  next()
}

exports.tell_received = function (next, connection) {
  const { transaction } = connection
  const note = transaction?.notes.envelog
  // Mail for this host is received as well, and is none that is sent.
  if (!note || !connection.relaying) return next()
  if (this.received.get(transaction.notes) === note.id) return next()
  const sender = addressOf(transaction.mail_from)
  this.keep(next, transaction.notes, note, [receptionRecord(note, sender, transaction.rcpt_to.map(addressOf))])
}

exports.begin_attempt = function (next, hmail) {
  if (!hmail.todo) return next()
  beginAttempt(hmail, (seconds) => {
    const record = outcomeRecord('delayed', hmail, hmail.todo.rcpt_to, { delay: Number(seconds) || undefined })
    this.tell(() => {}, hmail, record)
  })
  next()
}

exports.tell_delivered = function (next, hmail, params) {
  const [host, , response, , , mode, okRecipients] = params
  const { reply } = connectionOf(hmail) ?? {}
  const recipients = Array.isArray(okRecipients) && okRecipients.length > 0 ? okRecipients : hmail.todo.rcpt_to
  const more = { host, mode, response, code: reply?.code, enhanced: reply?.enhanced }
  this.tell(next, hmail, outcomeRecord('delivered', hmail, recipients, more))
}

exports.tell_deferred = function (next, hmail, params) {
  // A queue file that cannot be read is put off as well: nobody knows whose message it is.
  if (!hmail.todo) return next()
  const { err, delay, fail_recips: failed, mx } = params
  const more = { error: String(err), delay, mx }
  this.tell(next, hmail, outcomeRecord('deferred', hmail, failed ?? hmail.todo.rcpt_to, more))
}

exports.tell_bounce = function (next, hmail, error) {
  if (!hmail.todo) return next()
  const recipients = error?.bounced_rcpt ?? error?.deferred_rcpt ?? hmail.todo.rcpt_to
  const more = { error: error?.message ?? String(error), mx: error?.mx }
  this.tell(next, hmail, outcomeRecord('bounce', hmail, recipients, more))
}

/**
 * The reception goes before whatever comes of a message that this process did not see coming: it may have ended between
 * the queue and its own record of it.
 */
exports.tell = function (next, hmail, record) {
  const note = noteOf(hmail.todo)
  const isNew = note.time !== undefined && this.received.get(hmail.notes) !== note.id
  const reception = receptionRecord(note, record.sender, hmail.todo.rcpt_to.map(addressOf))
  this.keep(next, hmail.notes, note, isNew ? [reception, record] : [record])
}

exports.keep = function (next, notes, note, records) {
  let isOver = false
  const goOn = () => {
    if (isOver) return
    isOver = true
    clearTimeout(patience)
    next()
  }
  const patience = setTimeout(goOn, PATIENCE_MS)
  void this.spool.append(records).then((isKept) => {
    if (isKept) this.received.set(notes, note.id)
    goOn()
  })
}
