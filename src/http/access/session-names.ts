/** How a session travels in a request. */

export const SESSION_COOKIE = 'envelog_session'
/** Every request but GET and HEAD that is made with the cookie carries the session's token in this header. */
export const CSRF_HEADER = 'x-csrf-token'
