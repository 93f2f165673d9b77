/** `return-path`: signed addresses that reports come back to, made, looked into, and the key that makes them. */
import { type Command, InvalidArgumentError, Option } from 'commander'
import { AppError } from '../lib/app-error.ts'
import type { Service } from '../open-service.ts'
import type { References, Subject } from '../reports/reference.ts'
import {
  findFullReference,
  findInAddress,
  LOCAL_PART_OCTETS_MAX,
  makeFullReference,
  makeReturnPath,
  REFERENCE_HEADER,
} from '../reports/return-path.ts'
import type { CommandRunner, Outcome } from './command-runner.ts'
import { examples } from './help.ts'
import { requireNamedDomain } from './require-named-domain.ts'

interface Options {
  readonly domain?: string
  readonly message?: string
  readonly recipient?: string
  readonly host?: string
  readonly verify?: string
  readonly exportKey?: boolean
}

export function addReturnPath(parent: Command, runner: CommandRunner): void {
  parent
    .command('return-path')
    .description('Make a signed return path for a message, so that bounces and complaints find it again.')
    .option('--domain <name>', 'the sender domain')
    .option('--message <id>', 'the message, as its events name it', parseMessageId)
    .option('--recipient <address>', 'the one recipient that it is for; without, it is for all of the message')
    .option('--host <name>', 'what follows the @; ENVELOG_RETURN_PATH_LABEL below the domain unless given')
    .addOption(
      new Option('--verify <text>', 'say what a return path, an envelope id or a header proves').conflicts([
        'domain',
        'message',
        'host',
        'exportKey',
      ]),
    )
    .addOption(
      new Option(
        '--export-key',
        'print the key that signs, for a mail server that makes return paths itself',
      ).conflicts(['domain', 'message', 'recipient', 'host']),
    )
    .addHelpText(
      'after',
      examples(
        'return-path --domain example.com --message 01890a5d-ac96-774b-bcce-b302099a8057 --recipient bob@example.org',
        'return-path --verify l01890a5d-…@bounces.example.com --recipient bob@example.org',
      ),
    )
    .action((options: Options) => runner.withData((service) => run(service, options)))
}

async function run(service: Service, options: Options): Promise<Outcome> {
  if (options.exportKey) return exportKey(service.references)
  if (options.verify !== undefined) return verify(service, options.verify, options.recipient)
  const { domain: name, message: messageId, recipient } = options
  if (name === undefined || messageId === undefined) {
    throw new AppError('invalid_request', 'Give --domain and --message, or --verify, or --export-key.')
  }
  const domain = (await requireNamedDomain(service, name)).name
  return make(service, { domain, messageId, recipient }, options.host)
}

function make({ references, config }: Service, subject: Subject, host: string | undefined): Outcome {
  const address = makeReturnPath(references, subject, host ?? `${config.returnPathLabel}.${subject.domain}`)
  const reference = makeFullReference(references, subject)
  const octets = Buffer.byteLength(address.slice(0, address.lastIndexOf('@')))
  if (octets > LOCAL_PART_OCTETS_MAX) {
    process.stderr.write(
      `Warning: ${octets} octets before the @ are more than the ${LOCAL_PART_OCTETS_MAX} that every server takes (RFC 5321 section 4.5.3.1.1).\n`,
    )
  }
  const header = `${REFERENCE_HEADER}: ${reference}`
  return {
    json: { address, envelopeId: reference, header },
    text: [`return path  ${address}`, `envelope id  ${reference}`, `header       ${header}`].join('\n'),
  }
}

async function verify(service: Service, text: string, recipient: string | undefined): Promise<Outcome> {
  const value = text.replace(new RegExp(`^${REFERENCE_HEADER}:\\s*`, 'i'), '').trim()
  const found = findInAddress(value) ?? findFullReference(value)
  if (!found) throw new AppError('invalid_request', 'That holds no signed reference.')
  const { reference, domains } = found
  for (const domain of domains) {
    const proven = service.references.findRecipient(reference, domain, recipient === undefined ? [] : [recipient])
    if (proven === undefined) continue
    const { messageId } = reference
    const whom = proven === '' ? 'all of its recipients' : proven
    return {
      json: { domain, messageId, recipient: proven === '' ? null : proven },
      text: `Signed here, for message ${messageId} of ${domain} to ${whom}.`,
    }
  }
  const hint = recipient === undefined ? ' If it was made for one recipient, say which with --recipient.' : ''
  throw new AppError('invalid_request', `That was not signed here, or not for this recipient and domain.${hint}`)
}

function exportKey({ key }: References): Outcome {
  process.stderr.write(
    'Warning: whoever has this key can forge bounces and complaints of every domain. Keep it readable by the mail server alone.\n',
  )
  return { json: { key: key.toString('hex') }, text: key.toString('hex') }
}

/** Where a line ends inside an id, the signature would stand for something else. */
function parseMessageId(text: string): string {
  if (text === '' || text.length > 255 || /\p{Cc}/u.test(text))
    throw new InvalidArgumentError('It must have 1 to 255 characters, none of them control characters.')
  return text
}
