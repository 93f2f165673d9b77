/** The server as a process: config -> data folder -> app -> listen -> signal -> close in reverse order. Wiring only. */
import { destination, type Logger, pino } from 'pino'
import { listConfigWarnings, loadConfig } from './config/load-config.ts'
import type { Config } from './config/options.ts'
import { readEnvironment } from './config/read-environment.ts'
import { describeFailure } from './describe-failure.ts'
import type { Dns } from './domains/dns-resolver.ts'
import { limitOldGeneration } from './lib/heap-limits.ts'
import { PROGRAM } from './lib/program-name.ts'
import type { Service } from './open-service.ts'
import { listStartupWarnings } from './startup-warnings.ts'
import { waitForSignal } from './wait-for-signal.ts'

export interface ServeOptions {
  /** Default: the configured servers. */
  readonly dns?: Dns
  /** Runs before the server accepts requests. */
  readonly prepare?: (service: Service) => Promise<void>
  /** Called once, when the server is listening. The returned companion is stopped before the service closes. */
  readonly onListening: (address: string, service: Service) => Promise<Stoppable> | Stoppable
}

type Stoppable = { stop(): Promise<void> } | undefined

/** Resolves after a signal, when everything is closed. */
export async function serve(config: Config, { dns, prepare, onListening }: ServeOptions): Promise<void> {
  limitOldGeneration()
  const logger = createLogger(config)
  exitOnBugs(logger)
  // Not before the configuration is known to be right: this is nearly all of the program.
  const [{ openWhenFree }, { startServer }] = await Promise.all([
    import('./open-when-free.ts'),
    import('./start-server.ts'),
  ])
  // Closed in reverse order, even after an error.
  await using opened = new AsyncDisposableStack()
  const service = await openWhenFree(config, {
    ...(dns && { dns }),
    onError: (error) => logger.error({ err: error }, 'unexpected error in the background'),
  })
  // Log "closed" only if the server got as far as listening; otherwise the startup error is enough.
  let isListening = false
  opened.defer(() => {
    if (isListening) logger.info('closed')
  })
  opened.defer(() => service.close())
  // Wait for signals from here on: one that arrives during startup stops the server as soon as it has started.
  const signal = waitForSignal()
  await prepare?.(service)
  const server = await startServer(service, logger)
  isListening = true
  opened.defer(() => server.close())
  for (const warning of listWarnings(service, server.boundTo)) logger.warn(warning)
  const companion = await onListening(server.address, service)
  opened.defer(async () => companion?.stop())
  logger.info({ signal: await signal }, 'closing')
}

function listWarnings({ config, dataSecret, accessSecret, storage }: Service, boundTo: string): readonly string[] {
  return [
    ...listConfigWarnings(config),
    ...listStartupWarnings(config, { uid: process.geteuid?.(), boundTo }),
    ...(storage.notices ?? []),
    ...dataSecret.warnings,
    ...(accessSecret.warning === undefined ? [] : [accessSecret.warning]),
  ]
}

/** stdout is for the program's output, so the log goes to stderr; synchronously, so that a crash loses no line. */
function createLogger(config: Config): Logger {
  return pino({ level: config.logLevel, base: null }, destination({ fd: 2, sync: true }))
}

/** After an unexpected error the state is unknown. Acknowledged events are durable, and a supervisor restarts the process. */
function exitOnBugs(logger: Logger): void {
  process.on('uncaughtException', (error) => {
    logger.fatal({ err: error }, 'unexpected error, exiting')
    process.exit(1)
  })
}

export async function greet(address: string, service: Service): Promise<undefined> {
  const lines = [
    `Envelog listens on ${address}`,
    `  console        ${address}/`,
    `  API reference  ${address}/docs`,
    `  data folder    ${service.config.dataDir}`,
  ]
  if ((await service.storage.control.keys.listTenants()).length === 0) {
    lines.push(
      '',
      'No tenants yet. Create a tenant with a domain, a key to read its log and a key to send its events:',
      `  ${PROGRAM} setup example.com --tenant NAME`,
    )
  }
  process.stdout.write(`${lines.join('\n')}\n`)
}

if (import.meta.main) {
  try {
    await serve(loadConfig(readEnvironment()), { onListening: greet })
  } catch (error) {
    const { message, exitCode } = describeFailure(error)
    process.stderr.write(`envelog: ${message}\n`)
    process.exitCode = exitCode
  }
}
