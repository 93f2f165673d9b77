/** What stays of a page's address when another tenant is chosen. */

/** Parameters that name something of one tenant. */
const OWN = ['domain', 'not_domain', 'message', 'in', 'page', 'search', 'message_id']

/** `path` is relative to the tenant. */
export function pathForOther(path: string, query: string): string {
  const params = new URLSearchParams(query)
  for (const name of OWN) params.delete(name)
  // A domain belongs to one tenant.
  const kept = path.startsWith('/domains/') ? '/domains' : path
  return params.size === 0 ? kept : `${kept}?${params}`
}
