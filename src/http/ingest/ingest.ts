/** /ingest: events and reports. All request bodies share one memory limit. */
import type { FastifyInstance } from 'fastify'
import type { AdministrationDeps } from '../app-deps.ts'
import { BodyMemory } from '../request/request-body.ts'
import { addPostIngest } from './post-ingest.ts'
import { addPostReport } from './post-report.ts'

export function addIngest(scope: FastifyInstance, deps: AdministrationDeps): void {
  const memory = new BodyMemory()
  addPostIngest(scope, deps, deps.metrics, memory)
  addPostReport(scope, deps, deps.metrics, memory)
}
