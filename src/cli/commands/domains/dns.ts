/** `dns`: the DNS records of any domain. */
import { Option } from 'commander'
import { append, type CommandGroup, type CommandSpec } from '../../command/command.ts'
import type { DnsCheckOptions } from './dns-check.ts'

const check: CommandSpec = {
  name: 'check',
  description: 'Check the DKIM, SPF and DMARC records of any domain. Nothing is stored.',
  arguments: [['<name>', 'the domain']],
  options: [
    new Option('--selector <name>', 'a DKIM selector, repeatable; without it DKIM is not checked').argParser(append),
    ['--public-key <base64>', 'the key expected at the selector, as in the p= tag (default: any key)'],
    ['--include <host>', 'what the SPF policy must include (default: only the policy itself is checked)'],
  ],
  help: 'Exit code: 0 correct, 1 problems found, 2 DNS could not be queried.',
  examples: ['dns check example.com --selector s1 --include spf.example.net'],
  isLocal: true,
  async run(context, name: string, options: DnsCheckOptions) {
    // Loaded only here: a third of all modules are those that check records.
    const { checkRecords } = await import('./dns-check.ts')
    return checkRecords(context, name, options)
  },
}

export const DNS: CommandGroup = { name: 'dns', description: 'DNS records of any domain.', commands: [check] }
