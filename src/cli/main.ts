/** Entry point of the command line: runs a command and turns failures into a message and an exit code. */
import { CommanderError } from 'commander'
import { ConfigError } from '../config/load-config.ts'
import { describeFailure, EXIT } from '../describe-failure.ts'
import { PROGRAM } from '../lib/program-name.ts'
import { VERSION } from '../lib/version.ts'
import { createProgram, withoutErrorPrefix } from './program.ts'

// A reader that closes the pipe early (`| head`) is not a failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(EXIT.ok)
  throw error
})

try {
  await createProgram(VERSION).parseAsync()
} catch (error) {
  fail(error)
}

/** With --json a failure is one object on stdout too: a script never has to distinguish an empty answer from a crash. */
function fail(error: unknown): void {
  if (error instanceof CommanderError) {
    // Commander has printed the message already; it also ends this way after --help and --version.
    process.exitCode = error.exitCode === 0 ? EXIT.ok : EXIT.usage
    if (error.exitCode !== 0) printJson({ error: EXIT.usage, message: describeWrongUse(error) })
    return
  }
  const { message, exitCode } = describeFailure(error)
  process.stderr.write(`envelog: ${message}\n`)
  printJson({ error: exitCode, message, ...(error instanceof ConfigError && { problems: error.problems }) })
  process.exitCode = exitCode
}

/** Without the prefix, like every other message. If commander only printed the help, say what was missing. */
function describeWrongUse({ code, message }: CommanderError): string {
  if (code === 'commander.help') return `A command is missing; ${PROGRAM} --help lists them.`
  return withoutErrorPrefix(message)
}

function printJson(failure: object): void {
  if (process.argv.includes('--json')) process.stdout.write(`${JSON.stringify(failure)}\n`)
}
