/** Processor time of processes, from proc_pid_stat(5). */
import { readdirSync, readFileSync } from 'node:fs'

/** The unit in which /proc counts processor time. */
const TICKS_PER_SECOND = 100
/** Fields are counted after the name, which ends with the last bracket. */
const PARENT = 1
const OWN = [11, 12]
const OF_ENDED_CHILDREN = [13, 14]

/** Of all its threads, in milliseconds. */
export function processorMsOf(pid: number): number {
  return sum(readFields(pid) ?? [], OWN)
}

/** With its children, also those that have ended. */
export function processorMsOfTree(pid: number): number {
  const own = sum(readFields(pid) ?? [], [...OWN, ...OF_ENDED_CHILDREN])
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const fields = readFields(Number(name))
      return Number(fields?.[PARENT]) === pid && fields ? [sum(fields, OWN)] : []
    })
  return children.reduce((total, ms) => total + ms, own)
}

/** Undefined if it has ended. */
function readFields(pid: number): readonly string[] | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')
  } catch {
    return undefined
  }
}

function sum(fields: readonly string[], indexes: readonly number[]): number {
  return indexes.reduce((total, index) => total + (Number(fields[index] ?? 0) * 1000) / TICKS_PER_SECOND, 0)
}
