/** Headers of every response. */

export const REQUEST_ID_HEADER = 'x-request-id'

/** Keep a browser from caching a response, guessing its type or framing it in another site's page. */
export const SAFE_HEADERS = {
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
} as const

/** For pages: scripts and styles of this server only, none of them inline, and no text that becomes markup. */
export const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

/** For files whose name changes with their content. */
export const CACHE_FOREVER = 'public, max-age=31536000, immutable'
/** For files whose name does not change with their content. */
export const CACHE_BRIEFLY = 'public, max-age=300'
