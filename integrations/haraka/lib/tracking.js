'use strict'

/** Adds the tracking pixel and signed links to a message, before it is signed. */
const fs = require('node:fs/promises')
const { addressOf } = require('./records')

/** Larger messages are sent unchanged. */
const BYTES_MAX = 25 * 1024 * 1024
const SECRET_BYTES = 32

/** A token names one recipient, so a message to several recipients is sent unchanged. */
async function addTracking(transaction, settings) {
  const { rcpt_to: recipients, header, mail_from: sender, uuid: messageId } = transaction
  const domain = fromDomain(header.get('From')) ?? fromDomain(addressOf(sender))
  if (recipients.length !== 1 || transaction.data_bytes > BYTES_MAX || domain === undefined) return []
  const [{ rewriteMessage }, { createTokens }] = await Promise.all([
    import('./tracking/rewrite-message.mjs'),
    import('./tracking/token.mjs'),
  ])
  const { message, isChanged, warnings } = rewriteMessage(await readMessage(transaction), {
    tokens: createTokens(await readSecret(settings.secret_file)),
    baseUrl: settings.base_url.replace(/\/+$/, ''),
    domain,
    messageId,
    recipient: addressOf(recipients[0]),
    time: Math.floor(Date.now() / 1000),
    opens: settings.opens !== false,
    clicks: settings.clicks !== false,
  })
  if (isChanged) await replaceMessage(transaction, message)
  return warnings
}

async function readSecret(file) {
  const secret = Buffer.from((await fs.readFile(file, 'utf8')).trim(), 'base64url')
  if (secret.length !== SECRET_BYTES) throw new Error(`${file} does not contain the output of envelog track secret`)
  return secret
}

/** Of the first address; display names and comments are ignored. */
function fromDomain(header) {
  const bare = String(header ?? '')
    .slice(0, 2000)
    .replace(/"(?:[^"\\]|\\.)*"/gs, '')
    .replace(/\([^()]*\)/g, '')
  const [, domain] = /@([^\s<>,;:@"()]+)/.exec(/<[^<>]*@[^<>]*>/.exec(bare)?.[0] ?? bare) ?? []
  return domain?.toLowerCase()
}

function readMessage({ message_stream: stream }) {
  return new Promise((resolve, reject) => {
    stream.once('error', reject)
    stream.get_data((data) => {
      stream.removeListener('error', reject)
      resolve(data)
    })
  })
}

/** Keeps the header lines of the transaction, which other plugins may have changed, and replaces the rest. */
async function replaceMessage(transaction, message) {
  const old = transaction.message_stream
  const MessageStream = old.constructor
  const stream = new MessageStream(transaction.cfg, `${transaction.uuid}.tracked`, transaction.header.header_list)
  for (let start = 0; start < message.length; ) {
    const newline = message.indexOf(0x0a, start)
    const end = newline === -1 ? message.length : newline + 1
    const line = message.subarray(start, end)
    // The stream holds dot-stuffed lines (RFC 5321 section 4.5.2).
    stream.add_line(line[0] === 0x2e ? Buffer.concat([Buffer.from('.'), line]) : line)
    start = end
  }
  await new Promise((resolve) => stream.add_line_end(resolve))
  transaction.message_stream = stream
  old.destroy()
}

module.exports = { addTracking }
