/** A receiving provider and its hosts, and the operator's file of providers (ENVELOG_PROVIDERS). */
import { asList, isTextList, parseTable, type TablePart, unknownNames } from './operator-table.ts'

export interface Provider {
  readonly name: string
  /** Host names; each covers itself and everything below it. */
  readonly hosts: string | readonly string[]
}

const HOST_NAME = /^[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*$/i

/** Throws an Error that lists all problems; its message continues "the file …". */
export function parseProviders(json: string): readonly Provider[] {
  return parseTable<Provider>(json, 'providers', findProblems)
}

function findProblems(provider: TablePart): readonly string[] {
  const problems = unknownNames(provider, ['name', 'hosts'])
  if (typeof provider['name'] !== 'string' || provider['name'] === '') problems.push('name: must be a non-empty string')
  const hosts = provider['hosts']
  if (!isTextList(hosts)) return [...problems, 'hosts: must be a host name or a list of host names']
  const bad = asList(hosts).filter((host) => !HOST_NAME.test(host))
  return [...problems, ...bad.map((host) => `hosts: ${JSON.stringify(host)} is not a host name`)]
}
