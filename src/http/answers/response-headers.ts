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
