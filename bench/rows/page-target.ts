/** A server whose newest pages are asked for, and their latency. */
import { getRequest, type LoadRequest, saturate } from '../load/http-load.ts'

export interface PageTarget {
  readonly address: string
  readonly key: string
  readonly path: (domainName: string) => string
}

export function pageRequests({ key, path }: PageTarget, domains: readonly string[]): readonly LoadRequest[] {
  return domains.map((name) => getRequest(path(name), key))
}

/** Median milliseconds of pages that are asked for one after the other. */
export async function pageLatency(target: PageTarget, domains: readonly string[], requests: number): Promise<number> {
  const pages = pageRequests(target, domains)
  let sent = 0
  const next = () => (sent < requests ? pages[sent++ % pages.length] : undefined)
  return (await saturate(target.address, 1, next)).latenciesMs.median
}
