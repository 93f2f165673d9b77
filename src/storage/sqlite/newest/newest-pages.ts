/**
 * The newest events of domains that polling clients and consoles ask for again and again: kept as texts, so that a repeated
 * request costs a look-up instead of rows from several files. Events that are added to a domain are added here as well, if all
 * of them are known; otherwise the page is dropped. See docs/decisions/0056.
 */
import type { EventText, LogDomain, LogPage, LogWindow, ShownFields } from '../../../events/log/log-query.ts'
import type { EventRow } from '../writing/event-row.ts'
import type { AddedEvent, DomainChanges } from './domain-changes.ts'
import { type NewestEvents, NewestList, type Positioned, pageOfNewest } from './newest-list.ts'
import { toRowText } from './row-text.ts'

/** Characters kept; more than a thousand pages. */
const CHARACTERS_MAX = 40 * 2 ** 20

export interface PositionedEvent extends Positioned {
  readonly text: EventText
}

/** A row becomes a text when it is first requested: most rows of a busy domain never are. */
interface KeptEvent extends Positioned {
  content: EventText | EventRow
  characters: number
}

interface KeptPage {
  readonly list: NewestList<KeptEvent>
  characters: number
}

/** One for each kind of text, so that none is returned to a reader who must not see all of it. */
type PageKey = number

const SHOWN: readonly ShownFields[] = ['interface', 'attempts', 'sending']

function toKey(domain: number, shown: ShownFields): PageKey {
  return domain * SHOWN.length + SHOWN.indexOf(shown)
}

/** Events of a domain that are being read, and what was added to it meanwhile. */
export interface Reading extends Disposable {
  readonly key: PageKey
  /** How many events are kept. */
  readonly size: number
  readonly added: NewestList<KeptEvent>
  /** The domain has changed in a way that is not known. */
  isOutdated: boolean
}

const NOTHING: NewestEvents<KeptEvent> = { events: [], completeFrom: Number.NEGATIVE_INFINITY }

export class NewestPages {
  readonly #serviceMessageIdField: string
  readonly #charactersMax: number
  /** In order of use, so that the first is the one to drop. */
  readonly #pages = new Map<PageKey, KeptPage>()
  readonly #readings = new Set<Reading>()
  #characters = 0

  constructor(serviceMessageIdField: string, charactersMax = CHARACTERS_MAX) {
    this.#serviceMessageIdField = serviceMessageIdField
    this.#charactersMax = charactersMax
  }

  /** Undefined when the kept events do not suffice. */
  find({ number, name }: LogDomain, shown: ShownFields, window: LogWindow, limit: number): LogPage | undefined {
    const key = toKey(number, shown)
    const page = this.#pages.get(key)
    if (!page) return undefined
    this.#pages.delete(key)
    this.#pages.set(key, page)
    return pageOfNewest(page.list, window, limit, (event) => this.#textOf(page, event, name, shown))
  }

  /** To be called before the events are read, and disposed of afterwards. */
  read(domain: number, shown: ShownFields, limit: number): Reading {
    // The one after a page tells that there are more.
    const size = limit + 1
    const reading = {
      key: toKey(domain, shown),
      size,
      added: new NewestList(size, NOTHING),
      isOutdated: false,
      [Symbol.dispose]: () => void this.#readings.delete(reading),
    }
    this.#readings.add(reading)
    return reading
  }

  /** Events that were read before a commit are completed by those that it has added. */
  keep({ key, size, added, isOutdated }: Reading, { events, completeFrom }: NewestEvents<PositionedEvent>): void {
    if (isOutdated) return
    this.#drop(key)
    const kept = events.map(({ position, text }) => ({ position, content: text, characters: text.length }))
    const list = new NewestList<KeptEvent>(size, { events: kept, completeFrom })
    list.addAll(added)
    const page = { list, characters: 0 }
    this.#pages.set(key, page)
    this.#count(
      page,
      list.events.reduce((sum, { characters }) => sum + characters, 0),
    )
    this.#dropSpare()
  }

  learn(changes: DomainChanges): void {
    for (const [domain, added] of changes) {
      for (const shown of SHOWN) this.#change(toKey(domain, shown), added)
    }
    for (const reading of this.#readings) {
      const domain = Math.floor(reading.key / SHOWN.length)
      if (!changes.has(domain)) continue
      const added = changes.get(domain)
      if (added) for (const event of added) reading.added.add(toKept(event))
      else reading.isOutdated = true
    }
    this.#dropSpare()
  }

  clear(): void {
    for (const reading of this.#readings) reading.isOutdated = true
    this.#pages.clear()
    this.#characters = 0
  }

  #change(key: PageKey, added: readonly AddedEvent[] | undefined): void {
    const page = this.#pages.get(key)
    if (!added) this.#drop(key)
    else if (page) {
      for (const event of added) {
        const removed = page.list.add(toKept(event))
        this.#count(page, event.characters - (removed?.characters ?? 0))
      }
    }
  }

  #textOf(page: KeptPage, event: KeptEvent, domainName: string, shown: ShownFields): EventText {
    if (typeof event.content === 'string') return event.content
    const text = toRowText(event.content, event.position.timestamp, domainName, shown, this.#serviceMessageIdField)
    this.#count(page, text.length - event.characters)
    event.content = text
    event.characters = text.length
    return text
  }

  #count(page: KeptPage, characters: number): void {
    this.#characters += characters
    page.characters += characters
  }

  #dropSpare(): void {
    for (const oldest of this.#pages.keys()) {
      if (this.#characters <= this.#charactersMax) return
      this.#drop(oldest)
    }
  }

  #drop(key: PageKey): void {
    const page = this.#pages.get(key)
    if (!page) return
    this.#characters -= page.characters
    this.#pages.delete(key)
  }
}

/** Each list has its own: which text is written from the row depends on who asks. */
function toKept({ position, row, characters }: AddedEvent): KeptEvent {
  return { position, content: row, characters }
}
