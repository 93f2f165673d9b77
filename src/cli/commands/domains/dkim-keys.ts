/** `domain …-key`: the DKIM keys of a domain, from creation to retirement. */
import { Option } from 'commander'
import { DKIM_ALGORITHMS, type DkimAlgorithm } from '../../../domains/domain.ts'
import type { DkimKeys, NewDkimKey, PrivateKey } from '../../../http/v1/administration/domains/dkim-keys.wire.ts'
import type { CommandSpec, Context } from '../../command/command.ts'
import { formatTable } from '../../text/text-table.ts'
import { domainPath, ifNoDomain } from './domain-path.ts'
import { describeRecordsToPublish } from './domain-text.ts'

const NAME = ['<name>', 'the domain'] as const
const SELECTOR = ['<selector>', 'the selector of the key, as domain list-keys shows it'] as const

const STEPS = `A rotation in steps, none of which interrupts mail:
  1. rotate-key creates the key. Publish the DNS record that it shows, next to the old one.
  2. verify looks for both. The domain stays verified by the old one.
  3. promote-key puts the new key into use; it refuses unless a check has seen the record.
  4. export-key prints it for the mail server, which signs with it from then on.
  5. After a week, when mail that was signed with the old key has arrived: retire-key, and remove the old DNS record.`

const ALGORITHM_NAMES: Readonly<Record<DkimAlgorithm, string>> = { rsa: 'RSA, 2048 bits', ed25519: 'Ed25519' }

function listKeys(client: Context['client'], name: string): Promise<DkimKeys> {
  return client.request<DkimKeys>('GET', `${domainPath(name)}/keys`, { ifMissing: ifNoDomain(name) })
}

const list: CommandSpec = {
  name: 'list-keys',
  description:
    'List the DKIM keys of a domain: the state of each (next, current or previous), and what the last check found.',
  arguments: [NAME],
  examples: ['domain list-keys example.com'],
  async run({ client }, name: string) {
    const { name: domain, keys } = await listKeys(client, name)
    return {
      json: { name: domain, keys },
      text: formatTable(
        ['SELECTOR', 'ALGORITHM', 'STATE', 'RECORD', 'CREATED'],
        keys.map((key) => [key.selector, key.algorithm, key.state, key.dnsRecord?.status ?? 'none', key.createdAt]),
        `${domain} has no DKIM key.`,
      ),
    }
  },
}

const exportKey: CommandSpec = {
  name: 'export-key',
  description: 'Print the private DKIM key of a domain (PKCS #8 PEM) for the mail server that signs.',
  arguments: [NAME],
  options: [['--selector <selector>', 'which of its keys (default: the one in use)']],
  examples: ['domain export-key example.com > example.com.pem', 'domain export-key example.com --json'],
  async run({ client }, typed: string, options: { readonly selector?: string }) {
    const { name } = await listKeys(client, typed)
    const path = keyPath(name, options.selector ?? 'current')
    const { selector, privateKey } = await client.request<PrivateKey>('GET', `${path}/private-key`)
    const advice = 'Make it readable by the mail server alone.'
    return {
      json: { name, selector, privateKey },
      text: privateKey.trimEnd(),
      warnings: [`anyone who has this key can sign mail as ${name} (selector ${selector}). ${advice}`],
    }
  },
}

const rotate: CommandSpec = {
  name: 'rotate-key',
  description: 'Create a DKIM key for a domain next to the one in use, and show the DNS record to publish.',
  arguments: [NAME],
  options: [new Option('--algorithm <name>', 'key algorithm').choices(DKIM_ALGORITHMS).default('rsa')],
  help: STEPS,
  examples: ['domain rotate-key example.com', 'domain rotate-key example.com --algorithm ed25519'],
  async run({ client, program }, typed: string, { algorithm }: { readonly algorithm: DkimAlgorithm }) {
    const options = { body: { algorithm }, ifMissing: ifNoDomain(typed) }
    const { name, keys, selector } = await client.request<NewDkimKey>('POST', `${domainPath(typed)}/keys`, options)
    const key = keys.find((candidate) => candidate.selector === selector)
    return { json: { name, keys, selector }, text: key ? describeNewKey(program, name, key) : '' }
  },
}

function describeNewKey(
  program: string,
  name: string,
  { selector, state, algorithm, dnsRecord }: DkimKeys['keys'][number],
): string {
  const isFirst = state === 'current'
  return [
    `Created the key ${selector} (${ALGORITHM_NAMES[algorithm]}) for ${name}${isFirst ? '' : '; the key in use stays in use'}.`,
    '',
    'Publish this DNS record:',
    describeRecordsToPublish(dnsRecord ? [dnsRecord] : [], isFirst ? undefined : 'next key'),
    '',
    'Then:',
    `  ${program} domain verify ${name}`,
    ...(isFirst ? [] : [`  ${program} domain promote-key ${name} ${selector}`]),
    `  ${program} domain export-key ${name} --selector ${selector}`,
  ].join('\n')
}

const promote: CommandSpec = {
  name: 'promote-key',
  description:
    'Put a DKIM key into use, if the last check found its record in DNS. A previous key can be promoted again.',
  arguments: [NAME, SELECTOR],
  examples: ['domain promote-key example.com env0a1b2c3d'],
  async run({ client, program }, typed: string, selector: string) {
    const before = await listKeys(client, typed)
    const { name, keys } = await client.request<DkimKeys>('POST', `${keyPath(before.name, selector)}/promote`)
    const old = currentOf(before)
    return {
      json: { name, keys },
      text: [
        `The key ${currentOf({ keys })} of ${name} is now in use. Let the mail server sign with it:`,
        `  ${program} domain export-key ${name}`,
        '',
        `Keep the DNS record of ${old} until mail that was signed with it has arrived, about a week. Then:`,
        `  ${program} domain retire-key ${name} ${old}`,
      ].join('\n'),
    }
  },
}

const retire: CommandSpec = {
  name: 'retire-key',
  description: 'Permanently delete a DKIM key that is not in use (previous or next). Its record is no longer checked.',
  arguments: [NAME, SELECTOR],
  examples: ['domain retire-key example.com env0a1b2c3d'],
  async run({ client }, typed: string, selector: string) {
    const { name } = await listKeys(client, typed)
    const { keys } = await client.request<DkimKeys>('POST', `${keyPath(name, selector)}/retire`)
    const retired = selector.toLowerCase()
    return {
      json: { name, keys },
      text: `Deleted the key ${retired} of ${name}. Remove its DNS record: ${retired}._domainkey.${name}`,
    }
  },
}

function keyPath(domain: string, selector: string): string {
  return `${domainPath(domain)}/keys/${encodeURIComponent(selector)}`
}

function currentOf({ keys }: Pick<DkimKeys, 'keys'>): string | undefined {
  return keys.find(({ state }) => state === 'current')?.selector
}

export const DKIM_KEY_COMMANDS: readonly CommandSpec[] = [list, exportKey, rotate, promote, retire]
