/** The guide: how Markdown becomes HTML, and that the pages of our own documents have no dead link. */
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { renderMarkdown } from '../scripts/guide/markdown.ts'
import { renderGuide } from '../scripts/guide/render-guide.ts'
import { ROOT } from './harness/documents.ts'
import { openTemporaryFolder } from './harness/temporary-folder.ts'

const FILES = { script: '/docs/guide/assets/main-1.js', style: '/docs/guide/assets/style-1.css' }
const html = (markdown: string) => renderMarkdown(markdown, (target) => `to:${target}`).html.trim()

describe('Markdown', () => {
  test('HTML is shown as text, wherever it is; comments are left out', () => {
    const attack = '<img src=x onerror=alert(1)>'
    const shown = '&lt;img src=x onerror=alert(1)&gt;'
    for (const place of [
      attack,
      `a ${attack}`,
      `- ${attack}`,
      `## ${attack}`,
      `| a |\n|---|\n| ${attack} |`,
      `> ${attack}`,
    ])
      assert.ok(html(place).includes(shown) && !html(place).includes('<img'), place)
    assert.equal(html(`\`${attack}\``), `<p><code>${shown}</code></p>`)
    assert.equal(html('<script>alert(1)</script>'), '<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>')
    assert.equal(html('<!-- generated -->'), '')
    assert.doesNotMatch(html('<!-- a --> <script>alert(1)</script> <!-- b -->'), /<script/)
    assert.doesNotMatch(html('[a](x"onclick="y)'), /" ?onclick/)
    assert.doesNotMatch(html('![a" onerror="x](y.png)'), /" onerror/)
  })

  test('entities are characters in text, and as they are in code', () => {
    assert.equal(html('a &lt; b & c'), '<p>a &lt; b &amp; c</p>')
    assert.equal(html('`a &lt; b`'), '<p><code>a &amp;lt; b</code></p>')
    assert.equal(html('```\na <b> &amp;\n```'), '<pre><code>a &lt;b&gt; &amp;amp;</code></pre>')
  })

  test('lists, tables and emphasis have their elements', () => {
    assert.equal(html('3. a\n4. **b**'), '<ol start="3">\n<li>a</li>\n<li><strong>b</strong></li>\n</ol>')
    assert.match(html('| a |\n|---|\n| `x\\|y` |'), /<th scope="col">a<\/th>.*<td><code>x\|y<\/code><\/td>/s)
  })

  test('headings have the ids of forges, the second of a name with a suffix', () => {
    const { ids, headings } = renderMarkdown('# T\n## The log: `GET /v1/x`\n## A\n### A', () => undefined)
    assert.deepEqual([...ids], ['t', 'the-log-get-v1x', 'a', 'a-1'])
    assert.deepEqual(
      headings.map(({ html: text, isSub }) => [text, isSub]),
      [
        ['The log: <code>GET /v1/x</code>', false],
        ['A', false],
        ['A', true],
      ],
    )
  })

  test('what is searched is the text of each section, without marks', () => {
    const { sections } = renderMarkdown(
      '# T\nfirst *word*\n## H\n- `code` [link](x)\n\n```\nblock <b>\n```',
      () => undefined,
    )
    assert.deepEqual(sections, [
      { heading: '', id: '', text: 'first word' },
      { heading: 'H', id: 'h', text: 'code link block <b>' },
    ])
  })
})

describe('the guide', () => {
  const guide = renderGuide(ROOT, FILES)

  test('every document is in the navigation, in a group', () => {
    assert.ok(guide.pages.size > 80)
    assert.deepEqual(
      guide.site.groups.filter(({ title }) => title === 'More'),
      [],
      'name it in scripts/guide/contents.ts',
    )
    const linked = guide.site.groups.flatMap(({ links }) => links.map(({ url }) => url))
    for (const file of guide.pages.keys()) {
      const name = file.replace(/\.html$/, '')
      assert.ok(linked.includes(name === 'index' ? '/docs/guide' : `/docs/guide/${name}`), file)
    }
  })

  test('there is a first page for each reader', () => {
    for (const reader of ['operator', 'tenant', 'support', 'developer'])
      assert.match(guide.pages.get(`start/${reader}.html`) ?? '', /What do you want to do\?/)
  })

  test('no link leads nowhere: documents, headings, images, results of the search', () => {
    assert.deepEqual(guide.problems, [])
    const images = guide.images.map((path) => `/docs/guide/images/${path.split('/').at(-1)}`)
    assert.equal(new Set(images).size, images.length)
    const idsOf = new Map([...guide.pages].map(([file, page]) => [file, idsIn(page)]))
    const isThere = (url: string) => {
      const [path = '', id] = url.split('#')
      const ids = idsOf.get(path === '/docs/guide' ? 'index.html' : `${path.slice('/docs/guide/'.length)}.html`)
      return ids !== undefined && (id === undefined || ids.has(id))
    }
    let count = 0
    for (const [file, page] of guide.pages) {
      for (const [, url = ''] of page.matchAll(/<a [^>]*href="([^"]+)"/g)) {
        count++
        if (url.startsWith('#')) assert.ok(idsOf.get(file)?.has(url.slice(1)), `${file}: ${url}`)
        else if (url.startsWith('/docs/guide')) assert.ok(isThere(url), `${file}: ${url}`)
        else assert.ok(['/', '/docs'].includes(url), `${file}: ${url}`)
      }
      for (const [, url = ''] of page.matchAll(/<img src="([^"]+)"/g))
        assert.ok(images.includes(url), `${file}: ${url}`)
    }
    assert.ok(count > 3000)
    for (const { url } of guide.sections) assert.ok(isThere(url), url)
  })

  test('a page refers to nothing outside of this server, and has no inline script or style', () => {
    for (const [file, page] of guide.pages)
      assert.doesNotMatch(
        page,
        /<script(?! (?:type="module" )?src="\/)|<style|\sstyle="|\s(?:src|href)="(?!\/|#)/,
        file,
      )
  })

  test('a dead link is shown as text and noted, and a document without a group is found at the end', () => {
    using folder = openTemporaryFolder()
    mkdirSync(join(folder.path, 'docs'))
    writeFileSync(
      join(folder.path, 'docs/README.md'),
      '# T\n[a](gone.md) [b](new.md#gone) [c](https://example.com) ![d](x.png)',
    )
    writeFileSync(join(folder.path, 'docs/new.md'), '# New\n')
    const { pages, problems, site } = renderGuide(folder.path, FILES)
    assert.equal(problems.length, 3)
    assert.match(pages.get('index.html') ?? '', /<p>a <a href="\/docs\/guide\/new#gone">b<\/a> c d<\/p>/)
    assert.deepEqual(site.groups.at(-1), { title: 'More', links: [{ title: 'New', url: '/docs/guide/new' }] })
  })
})

function idsIn(page: string): ReadonlySet<string> {
  return new Set([...page.matchAll(/ id="([^"]+)"/g)].map(([, id = '']) => id))
}
