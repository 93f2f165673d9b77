/** The command line, assembled: groups of commands, the options they share, and the help. */
import { Command } from 'commander'
import { optionsHelp } from '../config/describe-options.ts'
import { addBackup } from './backup.ts'
import { createCommandRunner } from './command-runner.ts'
import { addConfigCheck } from './config-check.ts'
import { addDemo } from './demo.ts'
import { addDnsCheck } from './dns-check.ts'
import { addDomainActivate } from './domain-activate.ts'
import { addDomainAdd } from './domain-add.ts'
import { addDomainExportKey } from './domain-export-key.ts'
import { addDomainList } from './domain-list.ts'
import { addDomainListKeys } from './domain-list-keys.ts'
import { addDomainPromoteKey } from './domain-promote-key.ts'
import { addDomainRetireKey } from './domain-retire-key.ts'
import { addDomainRotateKey } from './domain-rotate-key.ts'
import { addDomainVerify } from './domain-verify.ts'
import { examples, PROGRAM } from './help.ts'
import { addImport } from './import.ts'
import { addKeyCreate } from './key-create.ts'
import { addKeyList } from './key-list.ts'
import { addKeyRevoke } from './key-revoke.ts'
import { addRecount } from './recount.ts'
import { addRejectedDrop } from './rejected-drop.ts'
import { addRejectedList } from './rejected-list.ts'
import { addRejectedReplay } from './rejected-replay.ts'
import { addReturnPath } from './return-path.ts'
import { addServe } from './serve.ts'
import { addTail } from './tail.ts'
import { addTenantCreate } from './tenant-create.ts'
import { addTenantList } from './tenant-list.ts'
import { addTrackRewrite } from './track-rewrite.ts'
import { addTrackSecret } from './track-secret.ts'

export function createProgram(version: string): Command {
  const program = new Command(PROGRAM)
    .description(
      'Envelog: delivery log, domain verification and statistics for people who run an email sending platform.',
    )
    .version(version)
    .option('--json', 'print one JSON object on stdout and nothing else there')
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError(`(${PROGRAM} --help lists the commands, ${PROGRAM} COMMAND --help explains one)`)
    .addHelpText('after', `\n${optionsHelp()}\n${examples('serve', 'tenant create Acme', 'import events.ndjson.gz')}`)
    // Before the first command is added: they take these settings over.
    .exitOverride()
    .configureOutput({ outputError: (text, write) => write(`envelog: ${withoutErrorPrefix(text)}`) })
  const isJson = () => program.opts<{ json?: boolean }>().json === true
  const runner = createCommandRunner(isJson)

  addServe(program, isJson)
  addDemo(program, isJson)

  const tenant = addGroup(program, 'tenant', 'Tenants: who owns sender domains.')
  addTenantCreate(tenant, runner)
  addTenantList(tenant, runner)

  const key = addGroup(program, 'key', 'API keys.')
  addKeyCreate(key, runner)
  addKeyList(key, runner)
  addKeyRevoke(key, runner)

  const domain = addGroup(program, 'domain', 'Sender domains and their DNS records.')
  addDomainAdd(domain, runner)
  addDomainList(domain, runner)
  addDomainActivate(domain, runner)
  addDomainVerify(domain, runner)
  addDomainListKeys(domain, runner)
  addDomainExportKey(domain, runner)
  addDomainRotateKey(domain, runner)
  addDomainPromoteKey(domain, runner)
  addDomainRetireKey(domain, runner)

  addDnsCheck(addGroup(program, 'dns', 'DNS records of any domain.'), runner)

  addImport(program, runner)
  addTail(program, runner)
  const rejected = addGroup(program, 'rejected', 'Records that could not become events.')
  addRejectedList(rejected, runner)
  addRejectedReplay(rejected, runner)
  addRejectedDrop(rejected, runner)

  addReturnPath(program, runner)
  const track = addGroup(program, 'track', 'Opens and clicks: pixels and links in messages.')
  addTrackRewrite(track, runner)
  addTrackSecret(track, runner)

  addConfigCheck(addGroup(program, 'config', 'The configuration.'), runner)
  addBackup(program, runner)
  addRecount(program, runner)
  return program
}

/** Commander starts its sentences with it, ours start with the program's name. */
export function withoutErrorPrefix(text: string): string {
  return text.replace(/^error: /, '')
}

function addGroup(program: Command, name: string, description: string): Command {
  return program.command(name).description(description)
}
