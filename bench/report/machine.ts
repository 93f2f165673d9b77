/** The machine that the figures were measured on. */
import { cpus, release, totalmem } from 'node:os'

export interface Machine {
  readonly processors: string
  readonly memoryGb: number
  readonly kernel: string
  readonly node: string
}

export function describeMachine(): Machine {
  const all = cpus()
  return {
    processors: `${all.length} × ${all[0]?.model ?? 'unknown'} (${process.arch})`,
    memoryGb: Math.round(totalmem() / 1e9),
    kernel: release(),
    node: process.version,
  }
}
