/** Runs the service on a port: the app listens, then the schedule starts; closing stops them. */
import { once } from 'node:events'
import { createServer } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { openRemovals } from './background/open-removals.ts'
import { reportHistory } from './background/report-history.ts'
import { resumeRotation } from './background/resume-rotation.ts'
import { startSchedule } from './background/schedule.ts'
import { takeGivenSocket } from './config/given-socket.ts'
import type { Config } from './config/options.ts'
import { VerificationRunner } from './domains/verification/verification-runner.ts'
import { buildApp } from './http/app.ts'
import { CLOSE_GRACE_MS } from './http/bare-app.ts'
import { openAudit } from './http/observation/audit.ts'
import { createMetrics } from './http/observation/metrics.ts'
import { reportCheck } from './http/observation/report-check.ts'
import { type ControlListener, listenOnControlSocket } from './http/server/control-listener.ts'

import { fitOpenFiles } from './http/server/http-server.ts'
import { openFilesMax } from './http/server/open-files.ts'
import { SERVER_LIMITS } from './http/server/server-limits.ts'
import { AppError, reasonOf } from './lib/app-error.ts'
import { listenForReports } from './listen-for-reports.ts'
import { openConsole } from './open-console.ts'
import { openHitRecorder } from './open-hit-recorder.ts'
import type { Service } from './open-service.ts'
import { KeyUses } from './tenants/key-uses.ts'
import { createServerTokens } from './tracking/server-tokens.ts'

export interface RunningServer {
  /** Such as http://127.0.0.1:8025 */
  readonly address: string
  /** The IP address that it is bound to, such as 0.0.0.0: `address` names one that can be connected to. */
  readonly boundTo: string
  /** Stops accepting, finishes the requests in flight and writes pending data. The service stays open. */
  close(): Promise<void>
}

export async function startServer(service: Service, logger: Logger): Promise<RunningServer> {
  const { config, storage, clock } = service
  const keyUses = new KeyUses(storage.control.keys)
  storage.capabilities.troubles?.follow(
    ({ day, kind, detail }) => logger.error({ day, kind }, `${day} is set aside: ${detail}`),
    ({ day, kind }) => logger.info({ day, kind }, `${day} is no longer set aside`),
  )
  const { retention } = service
  // Opened below, before the first request.
  let trackingBytes = () => 0
  const metrics = createMetrics(storage, clock, { retention, trackingBytes: () => trackingBytes() })
  const audit = openAudit({ storage, clock, metrics, logger })
  const verifications = new VerificationRunner({
    domains: storage.control.domains,
    dns: service.dns,
    clock,
    onChecked: (checked) => reportCheck(checked, metrics, logger),
  })
  const hits = await openHitRecorder(service, metrics, logger)
  const removals = openRemovals({ storage, clock, audit, logger, eraseHits: (address) => hits.erase(address) })
  trackingBytes = () => hits.waitingBytes
  const app = await buildApp({
    ...service,
    keyUses,
    audit,
    logger,
    verifications,
    removals,
    metrics,
    tracking: { tokens: createServerTokens(service.trackingSigner), hits },
    console: await openConsole(logger),
  })
  const fd = takeGivenSocket()
  const place = { host: config.host, ...(fd === undefined ? { port: config.port } : { fd }) }
  const address = await app.listen(place).catch(async (error: unknown) => {
    await app.close()
    throw listenProblem(config, error) ?? error
  })
  warnOfFewFiles(logger)
  // Starts the first reading thread now instead of with the first request, which reports what is wrong if it fails.
  storage.log.findNewestTimestamp().catch(() => undefined)
  const smtp = await listenForReports(service, metrics, logger).catch(async (error: unknown) => {
    await app.close()
    throw error
  })
  const historyReport = reportHistory(storage, logger)
  const control = await listenForCommands(app, config.dataDir, logger)
  const rotation = resumeRotation(service, logger)
  removals.resume()
  const { refreshSecrets } = service
  const schedule = startSchedule({
    storage,
    keyUses,
    audit,
    verifications,
    clock,
    logger,
    retention,
    hits,
    removals,
    ...(refreshSecrets && { refreshSecrets }),
  })
  const warn = (what: string) => (error: unknown) => {
    if (!(error instanceof AppError)) throw error
    logger.warn({ reason: reasonOf(error) }, what)
  }
  const bound = app.server.address()
  return {
    address,
    boundTo: typeof bound === 'object' && bound !== null ? bound.address : config.host,
    async close() {
      storage.endReads?.()
      await Promise.all([app.close(), control?.close(CLOSE_GRACE_MS), smtp?.close()])
      historyReport[Symbol.dispose]()
      await Promise.all([schedule.stop(), rotation.stop(), removals.stop()])
      await hits.close()
      // Nothing acknowledged depends on these: a disk that cannot be written must not make the end look like a crash.
      await keyUses.flush().catch(warn('the last uses of keys could not be saved'))
      await audit.flush().catch(warn('the last entries of the audit log, which are sums, could not be saved'))
    },
  }
}

function warnOfFewFiles(logger: Logger): void {
  const openFiles = openFilesMax()
  const { connections } = fitOpenFiles(SERVER_LIMITS, openFiles)
  if (connections === SERVER_LIMITS.connections) return
  logger.warn(
    { openFiles, connections },
    `this process may open ${openFiles} files, which is enough for ${connections} connections; raise the limit (LimitNOFILE) to 65536`,
  )
}

/** On a file system without sockets, such as some network mounts, the server still starts, but commands cannot reach it. */
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

/** For callers with long preparations: throws early what `startServer` would throw later. */
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

function listenProblem({ host, port }: Pick<Config, 'host' | 'port'>, error: unknown): AppError | undefined {
  const notHere = `${host} is not an address of this machine. Set ENVELOG_HOST to one of its addresses, or to 0.0.0.0 for all.`
  const problems: Readonly<Record<string, string>> = {
    EADDRINUSE: `Port ${port} on ${host} is in use by another program. Stop that program, or set ENVELOG_PORT to another port (0 picks a free one).`,
    EACCES: `Permission denied to listen on port ${port}. Set ENVELOG_PORT to a port above 1023; for a lower port, use a reverse proxy.`,
    EADDRNOTAVAIL: notHere,
    ENOTFOUND: notHere,
  }
  const problem = error instanceof Error && 'code' in error ? problems[String(error.code)] : undefined
  return problem === undefined ? undefined : new AppError('conflict', problem, { cause: error })
}
