/** Headers that every answer carries, whoever writes it. */

export const REQUEST_ID_HEADER = 'x-request-id'

/** For answers that a browser should neither keep, nor guess about, nor render inside somebody else's page. */
export const SAFE_HEADERS = {
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
} as const
