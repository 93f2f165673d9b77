/** Where a message was sent from, as one text that many events share. */
import type { EventExtension } from '../../events/event.ts'

/** The parts contain no control characters. */
const SEPARATOR = '\n'

/** Empty if nothing of it is known. */
export function toOriginText(extension: EventExtension): string {
  const { sending_address: address = '', sending_source: source = '', sending_pool: pool = '' } = extension
  if (address === '' && source === '' && pool === '') return ''
  return address + SEPARATOR + source + SEPARATOR + pool
}

/** As JSON members, each with a comma before it. */
export function originMembers(address: string, source: string, pool: string): string {
  const members = Object.entries({ sending_address: address, sending_source: source, sending_pool: pool })
  const present = members.filter(([, text]) => text !== '')
  return present.map(([name, text]) => `,${JSON.stringify(name)}:${JSON.stringify(text)}`).join('')
}

export function splitOriginText(text: string): readonly [address: string, source: string, pool: string] {
  const [address = '', source = '', pool = ''] = text.split(SEPARATOR)
  return [address, source, pool]
}
