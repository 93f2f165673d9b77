/**
 * The search field of the documentation: a combobox with a list of sections. `/` focuses it, the arrow keys choose, Enter opens,
 * Escape closes. The texts are loaded when it is first used.
 */
import type { SearchSection } from '../../../src/http/docs/site/site.ts'
import { type FoundSection, findSections, splitWords } from './find-sections.ts'

const SOURCES = ['/docs/guide/search.json', '/docs/reference/search.json']
const SHOWN_MAX = 12

export function addSearchBox(place: HTMLElement): void {
  const input = Object.assign(document.createElement('input'), {
    type: 'search',
    placeholder: 'Search',
    autocomplete: 'off',
    spellcheck: false,
    maxLength: 200,
  })
  const list = Object.assign(document.createElement('ul'), {
    id: 'search-results',
    className: 'overlay results',
    hidden: true,
  })
  const status = Object.assign(document.createElement('p'), { className: 'visually-hidden' })
  const key = Object.assign(document.createElement('kbd'), {
    className: 'search-key',
    textContent: '/',
    ariaHidden: 'true',
  })
  setAttributes(input, {
    role: 'combobox',
    'aria-label': 'Search the documentation',
    'aria-expanded': 'false',
    'aria-controls': list.id,
    'aria-autocomplete': 'list',
  })
  setAttributes(list, { role: 'listbox', 'aria-label': 'Search results' })
  status.setAttribute('role', 'status')
  place.append(input, key, list, status)

  const texts = loadOnce()
  let chosen = -1
  const options = () => [...list.querySelectorAll<HTMLElement>('[role=option]')]

  const choose = (index: number) => {
    chosen = index
    for (const [at, option] of options().entries()) {
      option.setAttribute('aria-selected', String(at === index))
      if (at === index) option.scrollIntoView({ block: 'nearest' })
    }
    const id = options()[index]?.id
    if (id === undefined) input.removeAttribute('aria-activedescendant')
    else input.setAttribute('aria-activedescendant', id)
  }
  const close = () => {
    list.hidden = true
    input.setAttribute('aria-expanded', 'false')
    choose(-1)
  }
  const show = async () => {
    const query = input.value
    if (query.trim() === '') {
      close()
      status.textContent = ''
      return
    }
    const sections = await texts().catch(() => undefined)
    // Meanwhile something else was typed.
    if (query !== input.value) return
    const found = sections && findSections(sections, query, SHOWN_MAX)
    if (found && found.length > 0)
      list.replaceChildren(...found.map((one, index) => toOption(one, index, splitWords(query))))
    else list.replaceChildren(toNote(found ? 'Nothing found.' : 'The search could not be loaded. Type again to retry.'))
    status.textContent = found ? `${found.length} results` : ''
    list.hidden = false
    input.setAttribute('aria-expanded', 'true')
    choose(found && found.length > 0 ? 0 : -1)
  }

  input.addEventListener('input', () => void show())
  input.addEventListener('focus', () => {
    void texts().catch(() => undefined)
    if (input.value !== '' && list.hidden) void show()
  })
  input.addEventListener('keydown', (event) => {
    const count = options().length
    if (event.key === 'Escape') {
      if (list.hidden) input.value = ''
      close()
      event.preventDefault()
    } else if (event.key === 'ArrowDown' && count > 0) {
      choose((chosen + 1) % count)
      event.preventDefault()
    } else if (event.key === 'ArrowUp' && count > 0) {
      choose((chosen - 1 + count) % count)
      event.preventDefault()
    } else if (event.key === 'Enter') {
      const target = options()[chosen]?.dataset['url']
      if (target !== undefined) open(target)
      event.preventDefault()
    }
  })
  list.addEventListener('click', (event) => {
    const target = (event.target as Element).closest<HTMLElement>('[role=option]')?.dataset['url']
    if (target !== undefined) open(target)
  })
  // So that the field keeps the focus while somebody clicks.
  list.addEventListener('mousedown', (event) => event.preventDefault())
  input.addEventListener('blur', close)
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target instanceof HTMLInputElement
    if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    input.focus()
    input.select()
  })

  function open(target: string): void {
    close()
    input.blur()
    location.assign(target)
  }
}

/** Of both parts of the documentation. After a failure the next call tries again. */
function loadOnce(): () => Promise<readonly SearchSection[]> {
  let loading: Promise<readonly SearchSection[]> | undefined
  const load = async () => {
    const parts = await Promise.all(
      SOURCES.map(async (url) => {
        const response = await fetch(url)
        if (!response.ok) throw new Error(`${url} answered ${response.status}`)
        return (await response.json()) as readonly SearchSection[]
      }),
    )
    return parts.flat()
  }
  return () => {
    loading ??= load().catch((error: unknown) => {
      loading = undefined
      throw error
    })
    return loading
  }
}

function toOption({ section, excerpt }: FoundSection, index: number, words: readonly string[]): HTMLElement {
  const option = Object.assign(document.createElement('li'), { id: `search-result-${index}`, className: 'result' })
  setAttributes(option, { role: 'option', 'aria-selected': 'false' })
  option.dataset['url'] = section.url
  const title = Object.assign(document.createElement('span'), { className: 'result-title' })
  title.append(...marked(section.heading || section.page, words))
  const page = Object.assign(document.createElement('span'), {
    className: 'result-page',
    textContent: section.heading === '' ? '' : section.page,
  })
  const text = Object.assign(document.createElement('span'), { className: 'result-text' })
  text.append(...marked(excerpt, words))
  option.append(title, page, text)
  return option
}

function toNote(text: string): HTMLElement {
  const note = Object.assign(document.createElement('li'), { className: 'result-none', textContent: text })
  setAttributes(note, { role: 'presentation' })
  return note
}

/** The text, with the words in it marked. */
function marked(text: string, words: readonly string[]): readonly (string | Node)[] {
  const pattern = new RegExp(`(${words.map((word) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')})`, 'i')
  return text
    .split(pattern)
    .map((part, index) =>
      index % 2 === 0 ? part : Object.assign(document.createElement('mark'), { textContent: part }),
    )
}

function setAttributes(element: Element, attributes: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value)
}
