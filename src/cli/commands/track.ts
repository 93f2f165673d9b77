/** `track`: pixels and signed links in messages, and the secret that signs them. */
import { readFileSync } from 'node:fs'
import { buffer } from 'node:stream/consumers'
import { Option } from 'commander'
import { rewriteMessage } from '../../../integrations/haraka/lib/tracking/rewrite-message.mjs'
import { createTokens } from '../../../integrations/haraka/lib/tracking/token.mjs'
import { normalizeDomainName } from '../../domains/domain-name.ts'
import type { TrackingSecret } from '../../http/v1/administration/signing.wire.ts'
import { AppError } from '../../lib/app-error.ts'
import { systemClock } from '../../lib/clock.ts'
import { PROGRAM } from '../../lib/program-name.ts'
import type { CommandGroup, CommandSpec, Context } from '../command/command.ts'

const SECRET_BYTES = 32

interface RewriteOptions {
  readonly domain: string
  readonly messageId: string
  readonly recipient: string
  readonly baseUrl: string
  readonly secretFile?: string
  readonly opens: boolean
  readonly clicks: boolean
}

const rewrite: CommandSpec = {
  name: 'rewrite',
  description:
    'Read a message from stdin and write it to stdout with a pixel and signed links in its HTML. Everything else stays byte ' +
    'for byte the same. Rewrite before signing.',
  options: [
    required('--domain <name>', 'the sender domain'),
    required('--message-id <id>', 'the id that the other events of the message have'),
    required('--recipient <address>', 'the recipient of this copy of the message'),
    required('--base-url <address>', 'where recipients reach Envelog, such as https://links.example.com'),
    ['--secret-file <file>', 'a file with the output of track secret; no server or data folder is needed then'],
    ['--no-opens', 'leave the pixel out'],
    ['--no-clicks', 'leave the links as they are'],
  ],
  examples: [
    'track rewrite --domain example.com --message-id 0193f1c0 --recipient ann@example.org --base-url https://links.example.com < in.eml > out.eml',
  ],
  async run({ client }, options: RewriteOptions) {
    const domain = normalizeDomainName(options.domain)
    if (domain === undefined) {
      throw new AppError('invalid_request', `--domain: ${options.domain} is not a domain name`)
    }
    const { messageId, recipient, secretFile, opens, clicks } = options
    const baseUrl = parseBaseUrl(options.baseUrl)
    const secret = secretFile === undefined ? decodeSecret(await fetchSecret(client)) : readSecret(secretFile)
    const { message, isChanged, warnings } = rewriteMessage(await buffer(process.stdin), {
      tokens: createTokens(secret),
      baseUrl,
      domain,
      messageId,
      recipient,
      time: Math.floor(systemClock() / 1000),
      opens,
      clicks,
    })
    return { json: { message: message.toString('base64'), isChanged, warnings }, text: message, warnings }
  },
}

const secret: CommandSpec = {
  name: 'secret',
  description: 'Print the secret that signs the addresses of pixels and links, for mail servers that create them.',
  examples: ['track secret > envelog-tracking.secret'],
  async run({ client }) {
    const text = await fetchSecret(client)
    const warning =
      'anyone who has this secret can forge opens and clicks, and create links that lead from your host name to anywhere.'
    return { json: { secret: text }, text, warnings: [warning] }
  },
}

function required(flags: string, description: string): Option {
  return new Option(flags, description).makeOptionMandatory()
}

/** Used with or without quotes, so nothing in it may end the value of an attribute. */
function parseBaseUrl(text: string): string {
  if (/^https?:\/\/[\w.:[\]-]+(?:\/[\w.~/-]*)?$/i.test(text) && URL.canParse(text)) return text.replace(/\/+$/, '')
  throw new AppError('invalid_request', `--base-url: ${text} is not an http address, such as https://links.example.com`)
}

async function fetchSecret(client: Context['client']): Promise<string> {
  return (await client.request<TrackingSecret>('GET', '/v1/admin/tracking-secret')).secret
}

function readSecret(file: string): Buffer {
  const bytes = decodeSecret(readFileSync(file, 'utf8').trim())
  if (bytes.length === SECRET_BYTES) return bytes
  throw new AppError('invalid_request', `${file} does not hold the output of ${PROGRAM} track secret`)
}

function decodeSecret(text: string): Buffer {
  return Buffer.from(text, 'base64url')
}

export const TRACK: CommandGroup = {
  name: 'track',
  description: 'Opens and clicks: pixels and links in messages.',
  commands: [rewrite, secret],
}
