/**
 * The visible text of HTML, by a state machine that follows the HTML standard (section 13.2.5) character by character. It is
 * slow and shares nothing with the code under test.
 */
export interface SeenHtml {
  /** Text without tags; the content of script and style is not visible. */
  readonly text: string
  /** Values of href of all a and area elements, as written. */
  readonly links: readonly string[]
  /** Every tag without the values of its attributes. */
  readonly tags: readonly string[]
}

type State = 'data' | 'tagName' | 'beforeName' | 'name' | 'afterName' | 'beforeValue' | 'double' | 'single' | 'bare'

export function seeHtml(html: string): SeenHtml {
  const [links, tags]: [string[], string[]] = [[], []]
  let [text, at] = ['', 0]
  let [state, tag, isEnd]: [State, string, boolean] = ['data', '', false]
  let [name, value]: [string, string] = ['', '']
  let attributes = new Map<string, string>()
  let isForeign = false

  const keep = () => {
    if (name !== '' && !attributes.has(name)) attributes.set(name, value)
    name = ''
    value = ''
  }
  const finish = (): void => {
    keep()
    tags.push(`${isEnd ? '/' : ''}${tag}(${[...attributes.keys()].join()})`)
    const href = attributes.get('href')
    if (!isEnd && (tag === 'a' || tag === 'area') && href !== undefined) links.push(href)
    if (tag === 'svg' || tag === 'math') isForeign = true
    state = 'data'
    const hasText = 'script style textarea title xmp iframe noembed noframes'.split(' ').includes(tag)
    if (isEnd || (!hasText && tag !== 'plaintext')) return
    let end = hasText ? at : html.length
    while (end < html.length && !isClosedAt(end)) end++
    if (tag !== 'script' && tag !== 'style') text += html.slice(at, end)
    at = end
  }
  const isClosedAt = (index: number): boolean =>
    html.slice(index, index + tag.length + 2).toLowerCase() === `</${tag}` &&
    '\t\n\f\r />'.includes(html[index + tag.length + 2] ?? '?')

  while (at < html.length) {
    const c = html[at] ?? ''
    const isSpace = '\t\n\f\r '.includes(c)
    at += 1
    switch (state) {
      case 'data': {
        const next = html[at] ?? ''
        const afterSlash = html[at + 1] ?? ''
        if (c !== '<') text += c
        else if (/[a-zA-Z]/.test(next) || (next === '/' && /[a-zA-Z]/.test(afterSlash))) {
          isEnd = next === '/'
          if (isEnd) at += 1
          ;[tag, attributes, state] = ['', new Map(), 'tagName']
        } else if (html.slice(at, at + 3) === '!--') {
          let end = at + 3
          const rest = html.slice(end)
          if (rest.startsWith('>')) end += 1
          else if (rest.startsWith('->')) end += 2
          else {
            while (end < html.length && html.slice(end, end + 3) !== '-->' && html.slice(end, end + 4) !== '--!>') end++
            end += html.slice(end, end + 3) === '-->' ? 3 : 4
          }
          at = Math.min(end, html.length)
        } else if (isForeign && html.slice(at, at + 8) === '![CDATA[') {
          let end = at
          while (end < html.length && html.slice(end, end + 3) !== ']]>') end++
          at = Math.min(end + 3, html.length)
        } else if (next === '!' || next === '?' || next === '/') {
          at += 1
          while (at < html.length && html[at] !== '>') at++
          at += 1
        } else text += c
        break
      }
      case 'tagName':
        if (isSpace || c === '/') state = 'beforeName'
        else if (c === '>') finish()
        else tag += c.toLowerCase()
        break
      case 'beforeName':
        if (isSpace || c === '/') break
        if (c === '>') finish()
        else {
          keep()
          ;[name, state] = [c.toLowerCase(), 'name']
        }
        break
      case 'name':
        if (isSpace) state = 'afterName'
        else if (c === '/') {
          keep()
          state = 'beforeName'
        } else if (c === '>') finish()
        else if (c === '=') state = 'beforeValue'
        else name += c.toLowerCase()
        break
      case 'afterName':
        if (isSpace) break
        if (c === '=') state = 'beforeValue'
        else if (c === '>') finish()
        else {
          keep()
          if (c === '/') state = 'beforeName'
          else [name, state] = [c.toLowerCase(), 'name']
        }
        break
      case 'beforeValue':
        if (isSpace) break
        if (c === '"') state = 'double'
        else if (c === "'") state = 'single'
        else if (c === '>') finish()
        else [value, state] = [c, 'bare']
        break
      case 'double':
      case 'single':
        if (c === (state === 'double' ? '"' : "'")) {
          keep()
          state = 'beforeName'
        } else value += c
        break
      case 'bare':
        if (isSpace) {
          keep()
          state = 'beforeName'
        } else if (c === '>') finish()
        else value += c
        break
      default:
        throw new Error(state)
    }
  }
  return { text, links, tags }
}
