'use strict'

/**
 * A plugin for Haraka 3: reports every outgoing message and every delivery attempt to Envelog.
 *
 * Mail never waits for Envelog. A hook waits for the local disk, as Haraka does for its queue, and only for a limited time:
 * the message proceeds in any case.
 */
const cluster = require('node:cluster')
const path = require('node:path')
const { beginAttempt, connectionOf, whenDeferred } = require('./lib/attempts')
const { noteMessage, noteOf } = require('./lib/message-note')
const { addressOf, outcomeRecord, receptionRecord } = require('./lib/records')
const { Sender } = require('./lib/sender')
const { Spool } = require('./lib/spool')
const { addTracking } = require('./lib/tracking')

/** Maximum time that a hook waits for the disk. */
const DISK_TIMEOUT_MS = 2000
/** Before other plugins, which may end the hook. */
const FIRST = -100
const LAST = 100

exports.register = function () {
  const { main, tracking } = this.config.get('envelog.ini', { booleans: ['+tracking.opens', '+tracking.clicks'] })
  if (!main.url || !main.key_file) throw new Error('envelog.ini: url and key_file are required')
  const folder = main.spool || path.join(process.env.HARAKA || '.', 'envelog-spool')
  const log = (level, text) => this[`log${level}`](text)
  this.cfg = { main, tracking: tracking ?? {} }
  this.spool = new Spool({
    folder,
    bytesMax: (Number(main.spool_megabytes) || 1024) * 1024 * 1024,
    log,
    onStored: () => this.sender.notify(),
  })
  this.sender = new Sender({ spool: this.spool, url: main.url, keyFile: main.key_file, log })
  /** Messages whose reception is in the spool: ids by `notes`, which Haraka keeps in memory with the message. */
  this.received = new WeakMap()

  this.register_hook('init_master', 'start')
  this.register_hook('init_child', 'start')
  if (this.cfg.tracking.base_url) this.register_hook('data_post', 'track', LAST)
  this.register_hook('queue_outbound', 'note_submitted', FIRST)
  this.register_hook('pre_send_trans_email', 'note_sent', FIRST)
  this.register_hook('queue_ok', 'record_reception', FIRST)
  this.register_hook('send_email', 'begin_attempt', FIRST)
  this.register_hook('delivered', 'record_delivered', FIRST)
  this.register_hook('deferred', 'record_deferred', FIRST)
  this.register_hook('bounce', 'record_bounce', FIRST)
}

/**
 * With `nodes` in smtp.ini, each worker has its own sender on the shared folder. The primary process has none: it handles no
 * mail, and files that it created would belong to root, whose rights it alone keeps.
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
    .catch((error) => connection.logerror(`message sent without tracking: ${error.message}`))
    .finally(() => next())
}

exports.note_submitted = function (next, connection) {
  const { transaction } = connection
  if (transaction) noteMessage(transaction, { connection, campaignHeader: this.cfg.main.campaign_header })
  next()
}

/** Runs for every outgoing message, including those that other plugins send. */
exports.note_sent = function (next, connection) {
  noteMessage(connection.transaction, { campaignHeader: this.cfg.main.campaign_header })
  next()
}

exports.record_reception = function (next, connection) {
  const { transaction } = connection
  const note = transaction?.notes.envelog
  // Mail for this host is not outgoing mail.
  if (!note || !connection.relaying) return next()
  if (this.received.get(transaction.notes) === note.id) return next()
  const sender = addressOf(transaction.mail_from)
  this.append(next, transaction.notes, note, [receptionRecord(note, sender, transaction.rcpt_to.map(addressOf))])
}

exports.begin_attempt = function (next, hmail) {
  if (!hmail.todo) return next()
  beginAttempt(hmail, (seconds) => {
    const record = outcomeRecord('delayed', hmail, hmail.todo.rcpt_to, { delay: Number(seconds) || undefined })
    this.record_outcome(() => {}, hmail, record)
  })
  next()
}

exports.record_delivered = function (next, hmail, params) {
  const [host, , response, , , mode, okRecipients] = params
  const { reply } = connectionOf(hmail) ?? {}
  const recipients = Array.isArray(okRecipients) && okRecipients.length > 0 ? okRecipients : hmail.todo.rcpt_to
  const more = { host, mode, response, code: reply?.code, enhanced: reply?.enhanced }
  this.record_outcome(next, hmail, outcomeRecord('delivered', hmail, recipients, more))
}

exports.record_deferred = function (next, hmail, params) {
  // A queue file that cannot be read is deferred too, but its message is unknown.
  if (!hmail.todo) return next()
  const { err, delay, fail_recips: failed, mx } = params
  whenDeferred(hmail, delay, next, (seconds, proceed) => {
    const more = { error: String(err), delay: seconds, mx }
    this.record_outcome(proceed, hmail, outcomeRecord('deferred', hmail, failed ?? hmail.todo.rcpt_to, more))
  })
}

exports.record_bounce = function (next, hmail, error) {
  if (!hmail.todo) return next()
  const recipients = error?.bounced_rcpt ?? error?.deferred_rcpt ?? hmail.todo.rcpt_to
  const more = { error: error?.message ?? String(error), mx: error?.mx }
  this.record_outcome(next, hmail, outcomeRecord('bounce', hmail, recipients, more))
}

/**
 * The reception is recorded first if this process has not recorded it: an earlier process may have ended between queueing the
 * message and recording it.
 */
exports.record_outcome = function (next, hmail, record) {
  const note = noteOf(hmail.todo)
  const isNew = note.time !== undefined && this.received.get(hmail.notes) !== note.id
  const reception = receptionRecord(note, record.sender, hmail.todo.rcpt_to.map(addressOf))
  this.append(next, hmail.notes, note, isNew ? [reception, record] : [record])
}

exports.append = function (next, notes, note, records) {
  let isDone = false
  const proceed = () => {
    if (isDone) return
    isDone = true
    clearTimeout(timer)
    next()
  }
  const timer = setTimeout(proceed, DISK_TIMEOUT_MS)
  void this.spool.append(records).then((isStored) => {
    if (isStored) this.received.set(notes, note.id)
    proceed()
  })
}
