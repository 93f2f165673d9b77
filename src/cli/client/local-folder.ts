/** The data folder, opened in this process, with the app that answers for it. */
import { resolve } from 'node:path'
import type { Config } from '../../config/options.ts'
import { hasData, isFolderLocked } from '../../data-folder.ts'
import { AppError } from '../../lib/app-error.ts'
import { PROGRAM } from '../../lib/program-name.ts'
import { openLocalApp } from '../../open-local-app.ts'
import { openService } from '../../open-service.ts'
import type { Answer, Request } from './exchange.ts'

export interface LocalFolder {
  ask(request: Request): Promise<Answer>
  close(): Promise<void>
}

/** Undefined while another process holds the folder's lock. Only `mayCreate` makes a data folder of an empty one. */
export async function openLocalFolder(config: Config, mayCreate: boolean): Promise<LocalFolder | undefined> {
  if (!mayCreate && !hasData(config)) throw noData(config)
  const service = await openService(config).catch((error: unknown) => {
    if (isFolderLocked(error)) return undefined
    throw error
  })
  if (!service) return undefined
  const app = await openLocalApp(service)
  return {
    ask: (request) => app.request(request),
    async close() {
      await app.close()
      await service.close()
    },
  }
}

/** Most often the command was typed in another folder than the server's. */
function noData({ dataDir }: Config): AppError {
  return new AppError(
    'not_found',
    `The data folder ${resolve(dataDir)} contains no data yet. If the data is elsewhere, set ENVELOG_DATA_DIR to that folder; to begin here: ${PROGRAM} tenant create NAME`,
  )
}
