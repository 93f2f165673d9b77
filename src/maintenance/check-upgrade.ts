/** What an upgrade to this version would do, for the command line: it is asked before the server of the new version is started. */
import type { Config } from '../config/options.ts'
import { folderProblem } from '../data-folder.ts'
import { AppError } from '../lib/app-error.ts'
import { PROGRAM } from '../lib/program-name.ts'
import { planUpgrade, type UpgradePlan } from '../storage/sqlite/upgrade/plan-upgrade.ts'

/** Changes nothing. Throws AppError `conflict` for databases that servers share, which have a command of their own. */
export async function checkUpgrade({ dataDir, storage }: Config): Promise<UpgradePlan> {
  if (storage !== 'sqlite') {
    throw new AppError(
      'conflict',
      `This checks a data folder, and ENVELOG_STORAGE is ${storage}. Run ${PROGRAM} migrate of the new version before its servers: it changes nothing that running servers could not work with.`,
    )
  }
  try {
    return await planUpgrade(dataDir)
  } catch (error) {
    throw folderProblem(dataDir, error) ?? error
  }
}
