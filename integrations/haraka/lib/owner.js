'use strict'

/**
 * The process that owns a spool file, by pid and start time: after a restart another program may have the same pid.
 */
const fs = require('node:fs')

/** Such as 4711-83520: pid and start time, which is 0 if unknown. */
function ownerOfThisProcess() {
  return `${process.pid}-${startOf(process.pid) ?? 0}`
}

/** Clock ticks since boot, from the 22nd field of /proc/PID/stat (proc(5)). */
function startOf(pid) {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The second field is the program name in parentheses, which may contain any character.
    const start = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
    return /^\d+$/.test(start ?? '') ? Number(start) : undefined
  } catch {
    return undefined
  }
}

function isAlive(owner) {
  const [pid, start] = owner.split('-').map(Number)
  const known = startOf(pid)
  if (known !== undefined) return known === start
  // Without /proc only the pid is known.
  if (start !== 0) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

module.exports = { ownerOfThisProcess, isAlive }
