'use strict'

/** Puts the pixel and the links of opens and clicks into a message, before anybody signs it. */
const fs = require('node:fs/promises')

/** Larger messages go out as they are. */
const BYTES_MAX = 25 * 1024 * 1024

/** Tokens name one recipient, so a message to several goes out as it is. */
async function addTracking(transaction, settings) {
  const { rcpt_to: recipients, message_stream: stream } = transaction
  if (recipients.length !== 1 || transaction.data_bytes > BYTES_MAX) return
  const { rewriteMessage } = await import('./tracking/rewrite-message.mjs')
  const { createTokens } = await import('./tracking/token.mjs')
  const { domainOfMessage } = await import('./tracking/sender-domain.mjs')
  const secret = Buffer.from((await fs.readFile(settings.secret_file, 'utf8')).trim(), 'base64url')
  const message = await new Promise((resolve, reject) => {
    stream.once('error', reject)
    stream.get_data((data) => {
      stream.removeListener('error', reject)
      resolve(data)
    })
  })
  const { addressOf } = require('./records')
  const domain = domainOfMessage(transaction.header.get('From'), addressOf(transaction.mail_from))
  if (domain === undefined) return
  const { message: rewritten, isChanged } = rewriteMessage(message, {
    tokens: createTokens(secret),
    baseUrl: settings.base_url,
    domain,
    messageId: transaction.uuid,
    recipient: addressOf(recipients[0]),
    time: Math.floor(Date.now() / 1000),
    opens: settings.opens !== false,
    clicks: settings.clicks !== false,
  })
  if (isChanged) await replaceMessage(transaction, rewritten)
}

/** Header lines are those of the transaction, which other plugins may have changed; only what follows them is new. */
async function replaceMessage(transaction, message) {
  const old = transaction.message_stream
  const MessageStream = old.constructor
  const stream = new MessageStream(transaction.cfg, `${transaction.uuid}.tracked`, transaction.header.header_list)
  for (let start = 0; start < message.length; ) {
    const newline = message.indexOf(0x0a, start)
    const end = newline === -1 ? message.length : newline + 1
    const line = message.subarray(start, end)
    // The stream holds what goes over the wire: a dot at the start of a line is doubled (RFC 5321 section 4.5.2).
    stream.add_line(line[0] === 0x2e ? Buffer.concat([Buffer.from('.'), line]) : line)
    start = end
  }
  await new Promise((resolve) => stream.add_line_end(resolve))
  transaction.message_stream = stream
  old.destroy()
}

module.exports = { addTracking }
