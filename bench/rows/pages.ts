/** The newest pages of a server, their latency, and `growth_read`: whether it grows with the log. */
import { getRequest, type LoadRequest, saturate } from '../load/http-load.ts'
import type { Row } from '../report/row.ts'
import { judgeTurns } from './judge-turns.ts'

export interface PageTarget {
  readonly address: string
  readonly key: string
  readonly path: (domainName: string) => string
}

/** Requests of a round, and rounds. */
export interface PageWork {
  readonly requests: number
  readonly rounds: number
}

export function pageRequests({ key, path }: PageTarget, domains: readonly string[]): readonly LoadRequest[] {
  return domains.map((name) => getRequest(path(name), key))
}

/** Median milliseconds of pages that are requested one after the other. */
export async function pageLatency(target: PageTarget, domains: readonly string[], requests: number): Promise<number> {
  const pages = pageRequests(target, domains)
  let sent = 0
  const next = () => (sent < requests ? pages[sent++ % pages.length] : undefined)
  return (await saturate(target.address, 1, next)).latenciesMs.median
}

/** The same pages from the whole log and from a copy with a twentieth of it; `domains` fill a page in both. */
export async function compareGrowth(
  whole: PageTarget,
  twentieth: PageTarget,
  domains: readonly string[],
  { requests, rounds }: PageWork,
): Promise<Row> {
  const measure = (target: PageTarget) => () => pageLatency(target, domains, requests)
  await measure(whole)()
  await measure(twentieth)()
  return judgeTurns('growth_read', { rounds }, measure(whole), measure(twentieth))
}
