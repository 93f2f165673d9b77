/** `track rewrite`: puts a pixel and signed links into the HTML of one message. */
import { readFileSync } from 'node:fs'
import { buffer } from 'node:stream/consumers'
import type { Command } from 'commander'
import { rewriteMessage } from '../../integrations/haraka/lib/tracking/rewrite-message.mjs'
import { createTokens } from '../../integrations/haraka/lib/tracking/token.mjs'
import { normalizeDomainName } from '../domains/domain-name.ts'
import { AppError } from '../lib/app-error.ts'
import { systemClock } from '../lib/clock.ts'
import type { CommandRunner, Outcome } from './command-runner.ts'
import { examples } from './help.ts'

interface RewriteOptions {
  readonly domain: string
  readonly messageId: string
  readonly recipient: string
  readonly baseUrl: string
  readonly secretFile?: string
  readonly opens: boolean
  readonly clicks: boolean
}

const SECRET_BYTES = 32

export function addTrackRewrite(parent: Command, runner: CommandRunner): void {
  parent
    .command('rewrite')
    .description(
      'Read a message from stdin and write it to stdout with a pixel and signed links in its HTML. Everything else stays ' +
        'byte for byte. Do it before the message is signed.',
    )
    .requiredOption('--domain <name>', 'the sender domain')
    .requiredOption('--message-id <id>', 'the id that the other events of the message have')
    .requiredOption('--recipient <address>', 'to whom this copy of the message goes')
    .requiredOption('--base-url <address>', 'where recipients reach Envelog, such as https://links.example.com')
    .option('--secret-file <file>', 'a file with what `track secret` printed; the data folder is not needed then')
    .option('--no-opens', 'leave the pixel out')
    .option('--no-clicks', 'leave the links as they are')
    .addHelpText(
      'after',
      examples(
        'track rewrite --domain example.com --message-id 0193f1c0 --recipient ann@example.org --base-url https://links.example.com < in.eml > out.eml',
      ),
    )
    .action((options: RewriteOptions) => {
      const { secretFile } = options
      const run = (secret: Buffer) => rewrite(options, secret)
      return secretFile === undefined
        ? runner.withData(({ trackingSecret }) => run(trackingSecret))
        : runner.withConfig(() => run(readSecret(secretFile)))
    })
}

async function rewrite(options: RewriteOptions, secret: Buffer): Promise<Outcome> {
  const domain = normalizeDomainName(options.domain)
  if (domain === undefined) throw new AppError('invalid_request', `--domain: ${options.domain} is no domain name`)
  const { messageId, recipient, opens, clicks } = options
  const { message, isChanged, warnings } = rewriteMessage(await buffer(process.stdin), {
    tokens: createTokens(secret),
    baseUrl: parseBaseUrl(options.baseUrl),
    domain,
    messageId,
    recipient,
    time: Math.floor(systemClock() / 1000),
    opens,
    clicks,
  })
  for (const warning of warnings) process.stderr.write(`Warning: ${warning}\n`)
  return { json: { message: message.toString('base64'), isChanged, warnings }, text: message }
}

/** Stands within quotes or without, so that nothing in it may end the value of an attribute. */
function parseBaseUrl(text: string): string {
  if (/^https?:\/\/[\w.:[\]-]+(?:\/[\w.~/-]*)?$/i.test(text) && URL.canParse(text)) return text.replace(/\/+$/, '')
  throw new AppError('invalid_request', `--base-url: ${text} is no http address, such as https://links.example.com`)
}

function readSecret(file: string): Buffer {
  const secret = Buffer.from(readFileSync(file, 'utf8').trim(), 'base64url')
  if (secret.length === SECRET_BYTES) return secret
  throw new AppError('invalid_request', `${file} does not contain the output of bin/envelog track secret`)
}
