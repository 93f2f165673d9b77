import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describedHtml, escapeHtml, slugOf } from './html.ts'

test('text is escaped, and what is between backticks is code', () => {
  assert.equal(escapeHtml(`<a href="x">&'</a>`), '&lt;a href=&quot;x&quot;&gt;&amp;&#39;&lt;/a&gt;')
  assert.equal(describedHtml('a `b<` c `d` e > `f`'), 'a <code>b&lt;</code> c <code>d</code> e &gt; <code>f</code>')
  assert.equal(describedHtml('no `code'), 'no `code')
})

test('the id of a heading has its letters and digits, in lower case', () => {
  assert.equal(slugOf('GET /v1/Events: über_2 alles!'), 'get-v1events-über_2-alles')
})
