/** Addresses in the headers and fields of a report. */

const ADDRESS = /[^\s<>,;:"()[\]\\@]{1,256}@[^\s<>,;:"()\\@]{1,255}/g
const LENGTH_MAX = 2000
const COUNT_MAX = 100

/** In their order, whatever stands around them. */
export function findAddresses(text: string | undefined): readonly string[] {
  const found = (text ?? '').slice(0, LENGTH_MAX).match(ADDRESS) ?? []
  return [...new Set(found.map((address) => address.replace(/\.$/, '')))].slice(0, COUNT_MAX)
}
