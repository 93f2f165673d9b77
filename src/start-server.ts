/** The service on a port: the app listens, the schedule runs; closing undoes both in reverse order. */
import { once } from 'node:events'
import { createServer } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { createTokens } from '../integrations/haraka/lib/tracking/token.mjs'
import { appDepsOf } from './app-deps.ts'
import type { Config } from './config/options.ts'
import { VerificationRunner } from './domains/verification/verification-runner.ts'
import { buildApp } from './http/app.ts'
import { CLOSE_GRACE_MS } from './http/bare-app.ts'
import { createMetrics } from './http/observation/metrics.ts'
import { reportCheck } from './http/observation/report-check.ts'
import { type ControlListener, listenOnControlSocket } from './http/server/control-listener.ts'
import { AppError } from './lib/app-error.ts'
import { listenForReports } from './listen-for-reports.ts'
import { openConsole } from './open-console.ts'
import { openHitRecorder } from './open-hit-recorder.ts'
import type { Service } from './open-service.ts'
import { startSchedule } from './schedule.ts'
import { KeyUses } from './tenants/key-uses.ts'

export interface RunningServer {
  /** Where it answers, such as http://127.0.0.1:8025 */
  readonly address: string
  /** Stops accepting, finishes what is in flight and writes down what is only in memory. The service stays open. */
  close(): Promise<void>
}

export async function startServer(service: Service, logger: Logger): Promise<RunningServer> {
  const { config, storage, clock } = service
  const keyUses = new KeyUses(storage.control.keys)
  const metrics = createMetrics(storage)
  const verifications = new VerificationRunner({
    domains: storage.control.domains,
    dns: service.dns,
    clock,
    onChecked: (checked) => reportCheck(checked, metrics, logger),
  })
  const hits = await openHitRecorder(service, metrics, logger)
  const app = await buildApp({
    ...appDepsOf(service),
    keyUses,
    logger,
    verifications,
    metrics,
    tracking: { tokens: createTokens(service.trackingSecret), hits },
    console: await openConsole(logger),
  })
  const address = await app.listen({ host: config.host, port: config.port }).catch(async (error: unknown) => {
    await app.close()
    throw listenProblem(config, error) ?? error
  })
  const smtp = await listenForReports(service, metrics, logger).catch(async (error: unknown) => {
    await app.close()
    throw error
  })
  const control = await listenForCommands(app, config.dataDir, logger)
  const { retentionMs } = config
  const schedule = startSchedule({ storage, keyUses, verifications, clock, logger, retentionMs, hits })
  return {
    address,
    async close() {
      await Promise.all([app.close(), control?.close(CLOSE_GRACE_MS), smtp?.close()])
      await schedule.stop()
      await hits.close()
      await keyUses.flush()
    },
  }
}

/** A file system without sockets, such as some network mounts, keeps commands out and must not keep the server down. */
async function listenForCommands(
  app: FastifyInstance,
  dataDir: string,
  logger: Logger,
): Promise<ControlListener | undefined> {
  try {
    return await listenOnControlSocket(app, dataDir)
  } catch (error) {
    logger.warn({ err: error }, 'commands cannot reach this server: the control socket cannot be created')
    return undefined
  }
}

/** For those who have much to do before they listen: throws now what `startServer` would throw then. */
export async function requireFreePort(config: Pick<Config, 'host' | 'port'>): Promise<void> {
  const probe = createServer()
  try {
    probe.listen({ host: config.host, port: config.port })
    await once(probe, 'listening')
    probe.close()
    await once(probe, 'close')
  } catch (error) {
    throw listenProblem(config, error) ?? error
  }
}

function listenProblem(config: Pick<Config, 'host' | 'port'>, error: unknown): AppError | undefined {
  switch (error instanceof Error && 'code' in error ? error.code : undefined) {
    case 'EADDRINUSE':
      return new AppError(
        'conflict',
        `Port ${config.port} on ${config.host} is in use by another program. Stop that one, or set ENVELOG_PORT to another port (0 picks a free one).`,
        { cause: error },
      )
    case 'EACCES':
      return new AppError(
        'conflict',
        `This user may not listen on port ${config.port}. Set ENVELOG_PORT to a port above 1023, and put a proxy in front where a lower one is wanted.`,
        { cause: error },
      )
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new AppError(
        'conflict',
        `${config.host} is no address of this machine. Set ENVELOG_HOST to one, or to 0.0.0.0 for all of them.`,
        {
          cause: error,
        },
      )
    default:
      return undefined
  }
}
