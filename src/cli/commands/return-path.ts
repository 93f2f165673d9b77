/** `return-path`: signed addresses that bounces and complaints come back to, and the key that signs them. */
import { InvalidArgumentError, Option } from 'commander'
import type { ProvenReference, ReferenceKey, ReturnPath } from '../../http/v1/administration/signing.wire.ts'
import { AppError } from '../../lib/app-error.ts'
import { LOCAL_PART_OCTETS_MAX } from '../../reports/return-path.ts'
import type { CommandSpec, Context, Outcome } from '../command/command.ts'
import { ifNoDomain } from './domains/domain-path.ts'

type Client = Context['client']

interface Options {
  readonly domain?: string
  readonly message?: string
  readonly recipient?: string
  readonly host?: string
  readonly verify?: string
  readonly exportKey?: boolean
}

export const RETURN_PATH: CommandSpec = {
  name: 'return-path',
  description: 'Create a signed return path for a message, which ties its bounces and complaints to it.',
  options: [
    ['--domain <name>', 'the sender domain'],
    new Option('--message <id>', 'the id of the message, as its events have it').argParser(parseMessageId),
    ['--recipient <address>', 'the one recipient that it is for (default: all recipients of the message)'],
    ['--host <name>', 'what follows the @ (default: ENVELOG_RETURN_PATH_LABEL below the domain)'],
    new Option('--verify <text>', 'show what a return path, an envelope id or a header proves').conflicts([
      'domain',
      'message',
      'host',
      'exportKey',
    ]),
    new Option('--export-key', 'print the signing key, for a mail server that creates return paths itself').conflicts([
      'domain',
      'message',
      'recipient',
      'host',
    ]),
  ],
  examples: [
    'return-path --domain example.com --message 01890a5d-ac96-774b-bcce-b302099a8057 --recipient bob@example.org',
    'return-path --verify l01890a5d-…@bounces.example.com --recipient bob@example.org',
  ],
  async run({ client }, { domain, message, recipient, host, verify, exportKey }: Options) {
    if (exportKey) return printKey(client)
    if (verify !== undefined) return prove(client, verify, recipient)
    if (domain === undefined || message === undefined) {
      throw new AppError('invalid_request', 'Give --domain and --message, or --verify, or --export-key.')
    }
    return create(client, { domain, messageId: message, recipient, host })
  },
}

async function create(client: Client, body: { readonly domain: string; readonly [name: string]: unknown }) {
  const options = { body, ifMissing: ifNoDomain(body.domain) }
  const made = await client.request<ReturnPath>('POST', '/v1/admin/return-paths', options)
  const { address, envelopeId, header } = made
  const octets = Buffer.byteLength(address.slice(0, address.lastIndexOf('@')))
  const tooLong = `the part before the @ has ${octets} octets; some servers accept only ${LOCAL_PART_OCTETS_MAX} (RFC 5321 section 4.5.3.1.1).`
  return {
    json: { address, envelopeId, header },
    text: [`return path  ${address}`, `envelope id  ${envelopeId}`, `header       ${header}`].join('\n'),
    warnings: octets > LOCAL_PART_OCTETS_MAX ? [tooLong] : [],
  }
}

async function prove(client: Client, text: string, recipient: string | undefined): Promise<Outcome> {
  const body = { text, recipient }
  const proof = await client.request<ProvenReference>('POST', '/v1/admin/return-paths/verify', { body })
  const { domain, messageId } = proof
  return {
    json: { domain, messageId, recipient: proof.recipient },
    text: `Signed here, for message ${messageId} of ${domain} to ${proof.recipient ?? 'all of its recipients'}.`,
  }
}

async function printKey(client: Client): Promise<Outcome> {
  const { key } = await client.request<ReferenceKey>('GET', '/v1/admin/return-paths/key')
  const warning =
    'anyone who has this key can forge bounces and complaints of every domain. Make it readable by the mail server alone.'
  return { json: { key }, text: key, warnings: [warning] }
}

/** A line break inside an id would change what the signature covers. */
function parseMessageId(text: string): string {
  if (text !== '' && text.length <= 255 && !/\p{Cc}/u.test(text)) return text
  throw new InvalidArgumentError('It must have 1 to 255 characters and no control characters.')
}
