/**
 * A full disk, simulated for one process: the system refuses to let its files grow past a size. It needs no privileges and
 * no separate file system, and unlike a full disk it can be set and removed at once. Node ignores the signal that
 * goes with it, so that writes fail with EFBIG.
 */
import { execFileSync } from 'node:child_process'

export function limitFileSize(pid: number, bytes: number | 'unlimited'): void {
  // Only the soft limit: a process may raise that again.
  execFileSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:`])
}
