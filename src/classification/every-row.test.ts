/** One sample for every pattern of the bounce rules and every host of the providers, so that none can be lost unnoticed. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { BOUNCE_RULES } from './bounce-rules.ts'
import { createBounceClassifier } from './classify-bounce.ts'
import { createProviderFinder } from './find-provider.ts'
import { asList } from './operator-table.ts'
import { PROVIDERS } from './providers.ts'

const classify = createBounceClassifier()

/** The lines of a file of samples, as pairs: the first word and the rest. */
function readSamples(name: string): readonly (readonly [string, string])[] {
  const text = readFileSync(join(import.meta.dirname, 'testdata', name), 'utf8')
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return lines.map((line) => {
    const space = line.indexOf(' ')
    return [line.slice(0, space), line.slice(space + 1)] as const
  })
}

/** Samples of rules that need a code begin with it. */
function readReply(sample: string): { readonly code?: number; readonly text: string } {
  const [, code, text] = /^(?:(\d{3}) )?(.*)$/.exec(sample) ?? []
  return { ...(code !== undefined && { code: Number(code) }), text: text ?? '' }
}

test('every pattern of a text has a sample that it alone gives its class', () => {
  const samples = readSamples('bounce-texts.txt').map(([name, sample]) => ({ name, ...readReply(sample) }))
  for (const { name, code, text } of samples) assert.equal(classify({ code, text }), name, text)
  const patterns = BOUNCE_RULES.flatMap((rule) => {
    return asList(rule.text ?? []).map((source) => ({ name: rule.class, source, expression: new RegExp(source) }))
  })
  const only = samples.map(({ name, text }) => {
    return patterns.filter((rule) => rule.name === name && rule.expression.test(text.toLowerCase()))
  })
  const proven = new Set(only.filter(({ length }) => length === 1).map(([rule]) => `${rule?.name}: ${rule?.source}`))
  const unproven = patterns.filter(({ name, source }) => !proven.has(`${name}: ${source}`))
  assert.deepEqual(
    unproven.map(({ name, source }) => `${name}: ${source}`),
    [],
  )
})

test('every enhanced code and every code has a sample', () => {
  const samples = new Map(readSamples('bounce-codes.txt'))
  for (const [sample, name] of samples) {
    const reply = sample.includes('.')
      ? { enhancedCode: sample, ...(sample.startsWith('4') && { code: 450 }) }
      : { code: Number(sample) }
    assert.equal(classify(reply), name, sample)
  }
  const codes = BOUNCE_RULES.flatMap((rule) => asList(rule.enhanced ?? (rule.text ? [] : (rule.code ?? []))))
  const missing = codes.filter((code) => {
    const pattern = new RegExp(`^${code.replaceAll('.', '\\.').replaceAll('x', '\\d+')}$`)
    return !samples.keys().some((sample) => pattern.test(sample))
  })
  assert.deepEqual(missing, [])
})

test('every host of a provider has a sample', () => {
  const find = createProviderFinder()
  const samples = readSamples('provider-hosts.txt')
  for (const [host, name] of samples) assert.equal(find(host), name, host)
  // Without the first label: a sample of a longer name does not prove a shorter one.
  const covered = (host: string) => samples.some(([sample]) => sample.slice(sample.indexOf('.') + 1) === host)
  const hosts = PROVIDERS.flatMap((provider) => asList(provider.hosts))
  assert.deepEqual(
    hosts.filter((host) => !covered(host)),
    [],
  )
})
