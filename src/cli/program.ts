/** The command line, assembled: groups of commands, global options, help. */
import { Command } from 'commander'
import { optionsHelp } from '../config/describe-options.ts'
import { PROGRAM } from '../lib/program-name.ts'
import type { CommandGroup, CommandSpec } from './command/command.ts'
import { addCommand, type GlobalOptions } from './command/run-command.ts'
import { AUDIT } from './commands/audit.ts'
import { CONFIG } from './commands/config-check.ts'
import { DAYS } from './commands/days.ts'
import { DNS } from './commands/domains/dns.ts'
import { DOMAIN } from './commands/domains/domains.ts'
import { KEY } from './commands/keys.ts'
import { BACKUP, RECOUNT, REPAIR } from './commands/maintenance.ts'
import { MIGRATE } from './commands/migrate.ts'
import { MIGRATE_STORAGE } from './commands/migrate-storage.ts'
import { REJECTED } from './commands/rejected.ts'
import { RESTORE } from './commands/restore.ts'
import { RETENTION } from './commands/retention.ts'
import { RETURN_PATH } from './commands/return-path.ts'
import { SECRET } from './commands/secrets.ts'
import { DEMO, SERVE } from './commands/serve.ts'
import { SETUP } from './commands/setup.ts'
import { TENANT } from './commands/tenants.ts'
import { TRACK } from './commands/track.ts'
import { UPGRADE } from './commands/upgrade-check.ts'
import { IMPORT } from './import/import.ts'
import { ERASE, REMOVAL } from './removal/removals.ts'
import { TAIL } from './tail/tail.ts'
import { examples } from './text/help.ts'

/** In the order of the help. */
const ENTRIES: readonly (CommandSpec | CommandGroup)[] = [
  SERVE,
  DEMO,
  SETUP,
  TENANT,
  KEY,
  DOMAIN,
  DNS,
  IMPORT,
  TAIL,
  REJECTED,
  ERASE,
  REMOVAL,
  RETURN_PATH,
  TRACK,
  AUDIT,
  CONFIG,
  UPGRADE,
  MIGRATE,
  MIGRATE_STORAGE,
  SECRET,
  RETENTION,
  BACKUP,
  RESTORE,
  RECOUNT,
  DAYS,
  REPAIR,
]

export function createProgram(version: string): Command {
  const program = new Command(PROGRAM)
    .description(
      'Envelog: delivery log, domain verification and statistics for people who run an email sending platform.',
    )
    .version(version)
    .option('--json', 'print exactly one JSON object to stdout')
    .option('--url <address>', 'use the server at this address, such as https://envelog.example.com')
    .option('--key-file <file>', "with --url: a file with an operator's key (scope admin; for import and tail, ingest)")
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError(`(${PROGRAM} --help lists the commands, ${PROGRAM} COMMAND --help explains one)`)
    .addHelpText(
      'after',
      `\n${optionsHelp()}\n${examples('serve', 'setup example.com --tenant Acme', 'import events.ndjson.gz')}`,
    )
    // Before the first command is added: commands inherit these settings.
    .exitOverride()
    .configureOutput({ outputError: (text, write) => write(`envelog: ${withoutErrorPrefix(text)}`) })
  const globals = () => program.opts<GlobalOptions>()
  for (const entry of ENTRIES) {
    if ('run' in entry) {
      addCommand(program, entry, globals)
      continue
    }
    const group = program.command(entry.name).description(entry.description)
    for (const spec of entry.commands) addCommand(group, spec, globals)
  }
  return program
}

/** Commander's messages start with this prefix, ours with the program's name. */
export function withoutErrorPrefix(text: string): string {
  return text.replace(/^error: /, '')
}
