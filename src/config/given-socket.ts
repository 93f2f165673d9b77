/**
 * A listening socket that the service manager opened and hands over (sd_listen_fds(3)). It stays open while the server restarts, so that
 * clients wait instead of being refused.
 */
import { AppError } from '../lib/app-error.ts'

/** The number of the first file descriptor that is handed over. */
const FIRST = 3

/**
 * Undefined if there is none. Takes the variables out of the environment: a process that this one starts must not believe that the
 * socket is for it. Throws AppError `conflict` for more than one socket.
 */
export function takeGivenSocket(environment = process.env, pid = process.pid): number | undefined {
  const { LISTEN_PID: owner, LISTEN_FDS: count } = environment
  if (count === undefined || owner !== `${pid}`) return undefined
  for (const name of ['LISTEN_PID', 'LISTEN_FDS', 'LISTEN_FDNAMES']) delete environment[name]
  if (count !== '1') {
    throw new AppError(
      'conflict',
      `The service manager hands over ${count} sockets, and Envelog takes one, for HTTP. Leave one ListenStream= in the socket unit.`,
    )
  }
  return FIRST
}
