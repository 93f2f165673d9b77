'use strict'

/**
 * Which process a file of the spool belongs to. A process number alone may be in use again by another program after a
 * restart, so that the time of its start goes with it where the system tells.
 */
const fs = require('node:fs')

/** Such as 4711-83520: number and start. The start is 0 where it cannot be known. */
function ownerOfThisProcess() {
  return `${process.pid}-${startOf(process.pid) ?? 0}`
}

/** Clock ticks since the machine was started, from the 22nd field of /proc/PID/stat (proc(5)). */
function startOf(pid) {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The second field is the program's name in parentheses and may hold anything.
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
  // Without /proc there is only the number.
  if (start !== 0) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

module.exports = { ownerOfThisProcess, isAlive }
