import assert from 'node:assert/strict'
import { test } from 'node:test'
import { renderPage } from './page.ts'
import type { Site } from './site.ts'

const [ONE, TWO, HOME] = ['one', 'two', 'home'].map((name) => ({ title: name, url: `/docs/${name}` }))
const PAGE = { title: 'T <1>', url: '/docs/two', content: '<p>x</p>', headings: [] }

function navigationOf(groups: readonly object[], url = '/docs/two'): string {
  const page = renderPage({ groups, examples: {} } as unknown as Site, { ...PAGE, url })
  return /<nav class="side".*?<\/nav>/s.exec(page)?.[0] ?? ''
}

test('a group without a page of its own shows its links, the current one marked', () => {
  const navigation = navigationOf([{ title: 'Start', links: [ONE, TWO] }], '/docs/elsewhere')
  assert.match(navigation, /<li><a href="\/docs\/one">one<\/a><\/li><li><a href="\/docs\/two">two<\/a><\/li>/)
  assert.match(navigationOf([{ title: 'Start', links: [ONE, TWO] }]), /href="\/docs\/two" aria-current="page"/)
})

test('a group with a page of its own shows its links only on one of its pages', () => {
  const groups = [{ title: 'Long', links: [ONE, TWO], home: HOME }]
  assert.match(navigationOf(groups), />one<.*>two</)
  assert.doesNotMatch(navigationOf(groups), />home</)
  assert.match(navigationOf(groups, '/docs/elsewhere'), />home</)
  assert.doesNotMatch(navigationOf(groups, '/docs/elsewhere'), />one</)
})

test('headings are listed if there are at least two; script and style are loaded if both are built', () => {
  const render = (headings: readonly { id: string; html: string; isSub?: boolean }[], more = {}) =>
    renderPage({ groups: [], examples: {}, ...more } as unknown as Site, { ...PAGE, headings })
  const [a, b] = [
    { id: 'a', html: 'A' },
    { id: 'b', html: 'B', isSub: true },
  ]
  assert.doesNotMatch(render([a]), /On this page/)
  assert.match(render([a, b]), /<li><a href="#a">A<\/a><\/li><li class="sub"><a href="#b">B<\/a><\/li>/)
  assert.match(render([]), /<title>T &lt;1&gt; · Envelog<\/title>/)
  const built = { script: '/main.js', style: '/style.css' }
  assert.match(
    render([], built),
    /<link rel="stylesheet" href="\/style\.css">\n<script type="module" src="\/main\.js">/,
  )
  for (const part of [{ script: '/main.js' }, { style: '/style.css' }])
    assert.doesNotMatch(render([], part), /<script|<link/)
})
