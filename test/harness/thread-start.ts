/**
 * Loaded before every test file. Tests start more than a thousand threads, and most of the time of a thread in which little happens goes
 * into loading modules: threads run the bundle if there is one, and do not load what is loaded before test files.
 */
import { syncBuiltinESMExports } from 'node:module'
import threads, { Worker, type WorkerOptions } from 'node:worker_threads'
import { threadModule } from './programs/program-files.ts'

class LeanWorker extends Worker {
  constructor(module: string | URL, options: WorkerOptions = {}) {
    super(threadModule(module), { execArgv: [], ...options })
  }
}

Object.assign(threads, { Worker: LeanWorker })
syncBuiltinESMExports()
