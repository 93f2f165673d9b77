/** The shape of a command: a name, arguments, options, and the work that turns them into an outcome. */
import type { Argument, Option } from 'commander'
import type { Config } from '../../config/options.ts'
import type { ExitCode } from '../../describe-failure.ts'
import type { Client } from '../client/client.ts'

/** The result of a command. Commands print nothing else to stdout. */
export interface Outcome {
  readonly json: object
  /** Bytes are written as they are, text with a line end. */
  readonly text: string | Uint8Array
  /** Printed after the text; to stderr if stdout is a file or pipe, which then gets the text alone. */
  readonly explanation?: string
  readonly exitCode?: ExitCode
  /** Printed to stderr before the text. */
  readonly warnings?: readonly string[]
}

export interface Context {
  readonly config: Config
  /** Connects with its first request, so that commands that need no data leave the data folder alone. */
  readonly client: Client
  readonly isJson: boolean
  /** The program as it is typed to reach the same server again, for advice. */
  readonly program: string
}

/** As the help shows it, such as `--tenant <name>`. */
type Described = readonly [flags: string, description: string]

export interface CommandSpec {
  readonly name: string
  readonly description: string
  readonly usage?: string
  readonly arguments?: readonly (Described | Argument)[]
  readonly options?: readonly (Described | Option)[]
  /** Shown after the options. */
  readonly help?: string
  readonly examples: readonly string[]
  /** Works without a server or a data folder, so `--url` makes no sense. */
  readonly isLocal?: boolean
  /** Called with the arguments in their order, then the options. Without an outcome it has done its own printing. */
  readonly run: (context: Context, ...values: never[]) => Promise<Outcome | undefined>
}

export interface CommandGroup {
  readonly name: string
  readonly description: string
  readonly commands: readonly CommandSpec[]
}

/** For options that may be repeated. */
export function append(value: string, previous: readonly string[] = []): readonly string[] {
  return [...previous, value]
}
