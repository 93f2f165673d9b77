/** `--limit`: how much of a long list a command shows. */
import { InvalidArgumentError, Option } from 'commander'

const LIMIT_MAX = 10_000
const LIMIT_DEFAULT = 50

/** `what`: what is listed, in the plural. */
export function limitOption(what: string): Option {
  return new Option('--limit <number>', `maximum number of ${what}, up to ${LIMIT_MAX}`)
    .argParser(parseLimit)
    .default(LIMIT_DEFAULT)
}

function parseLimit(text: string): number {
  const limit = Number(text)
  if (Number.isInteger(limit) && limit >= 1 && limit <= LIMIT_MAX) return limit
  throw new InvalidArgumentError(`It must be an integer from 1 to ${LIMIT_MAX}.`)
}
