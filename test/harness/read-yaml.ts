/** A YAML file, parsed by Debian's Python (package python3-yaml). Throws if it is not valid. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

const SCRIPT = 'import json, sys, yaml; print(json.dumps(yaml.load(sys.stdin, yaml.BaseLoader)))'

/** All scalars are texts: `on`, which other readers take for a truth value, stays a name. */
export function readYamlTexts<T>(path: string): T {
  return JSON.parse(
    execFileSync('/usr/bin/python3', ['-c', SCRIPT], { input: readFileSync(path), encoding: 'utf8' }),
  ) as T
}
