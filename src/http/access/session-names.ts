/** Names of the session cookie and the CSRF header. */

export const SESSION_COOKIE = 'envelog_session'
/** A request with the cookie, unless it is GET or HEAD, carries the session's CSRF token in this header. */
export const CSRF_HEADER = 'x-csrf-token'
