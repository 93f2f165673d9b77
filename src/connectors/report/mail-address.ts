/** Addresses in the headers and fields of a report. */

const LENGTH_MAX = 10_000
const COUNT_MAX = 100
/** Longer than RFC 5321 section 4.5.3.1 allows: servers take more, and so do signed return paths. */
const LOCAL_PART_MAX = 400
const DOMAIN_MAX = 255

/** In their order, whatever stands around them. From @ to @, so that a long text without any costs nothing. */
export function findAddresses(text: string | undefined): readonly string[] {
  const line = (text ?? '').slice(0, LENGTH_MAX)
  const found = new Set<string>()
  for (let at = line.indexOf('@'); at !== -1 && found.size < COUNT_MAX; at = line.indexOf('@', at + 1)) {
    const local = LOCAL_PART.exec(line.slice(Math.max(0, at - LOCAL_PART_MAX), at))?.[0]
    const domain = DOMAIN.exec(line.slice(at + 1, at + 1 + DOMAIN_MAX))?.[0].replace(/\.+$/, '')
    if (local && domain) found.add(`${local}@${domain}`)
  }
  return [...found]
}

const LOCAL_PART = /[^\s<>,;:"()[\]\\@]*$/
const DOMAIN = /^[^\s<>,;:"()\\@]*/
