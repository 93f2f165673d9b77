/** A server as a process of its own, with the settings of `npm start`, and what the kernel says about its use of the machine. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SERVER_MODULE } from '../../test/harness/programs/program-files.ts'
import { type ServerProcess as Process, serveProcess } from '../../test/harness/programs/server-process.ts'
import { processorMsOf } from '../load/processor-time.ts'

const ROOT = join(import.meta.dirname, '../..')

export interface ServerOptions {
  readonly dataDir: string
  readonly logFile: string
  /** A program with its arguments; by default, the product's own server, from its sources unless a whole run of the tests has bundled them. */
  readonly program?: readonly [string, ...string[]]
  readonly environment?: Readonly<Record<string, string>>
}

export interface ServerProcess extends Pick<Process, 'address' | 'stop'>, AsyncDisposable {
  /** From the start of the process to the first response of /healthz. */
  readonly startMs: number
  residentBytes(): number
  /** Processor time of all its threads so far. */
  processorMs(): number
}

export async function startServerProcess(options: ServerOptions): Promise<ServerProcess> {
  const { dataDir, logFile, program = [SERVER_MODULE], environment } = options
  const args = [...readStartOptions(), ...program]
  const startedAt = performance.now()
  // As `npm start` sets it: the number of heaps that threads share.
  const server = await serveProcess({ dataDir, logFile, args, env: { MALLOC_ARENA_MAX: '2', ...environment } })
  return {
    ...server,
    startMs: performance.now() - startedAt,
    residentBytes: () => readResidentBytes(server.pid),
    processorMs: () => processorMsOf(server.pid),
  }
}

function readResidentBytes(pid: number): number {
  const [, kib] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kib) * 1024
}

/** The options that bin/envelog passes to Node for a server. */
function readStartOptions(): readonly string[] {
  const [, settings = ''] = /^ *settings=(--\S+)$/m.exec(readFileSync(join(ROOT, 'bin/envelog'), 'utf8')) ?? []
  return [settings]
}
