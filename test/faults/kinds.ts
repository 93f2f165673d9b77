/** All kinds of fault, in one list: the quick part and the long run both use it. */
import { BACKED_UP } from './kinds/backup.ts'
import { CLOCK_JUMPS } from './kinds/clock.ts'
import { CLUSTER_KILLED } from './kinds/cluster.ts'
import { DAMAGED_DAYS } from './kinds/damaged-days.ts'
import { KILLED } from './kinds/kill.ts'
import { LOST_FILES, OLDER_CONTROL } from './kinds/lost-files.ts'
import { MOVE_KILLED } from './kinds/moving.ts'
import { POWER_LOST, SYNC_IGNORED, SYNC_NORMAL } from './kinds/power-loss.ts'
import { DISK_FULL, READ_ERRORS, WRITE_ERRORS } from './kinds/storage-errors.ts'
import type { Kind } from './lab/bench.ts'

export const KINDS: readonly Kind[] = [
  KILLED,
  POWER_LOST,
  SYNC_IGNORED,
  SYNC_NORMAL,
  DISK_FULL,
  WRITE_ERRORS,
  READ_ERRORS,
  DAMAGED_DAYS,
  LOST_FILES,
  OLDER_CONTROL,
  BACKED_UP,
  CLOCK_JUMPS,
  CLUSTER_KILLED,
  MOVE_KILLED,
]
