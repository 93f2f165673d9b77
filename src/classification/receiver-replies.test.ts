/** Holds the rules against what the largest receivers answer today. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { BOUNCE_CLASSES, type BounceClass } from './bounce-classes.ts'
import { createBounceClassifier } from './classify-bounce.ts'

/** Lists get cleaned by these. */
const BLAMES_ADDRESS: readonly string[] = ['InvalidRecipient', 'InactiveMailbox', 'BadDomain']

const classify = createBounceClassifier()

interface Sample {
  readonly receiver: string
  readonly classes: readonly string[]
  readonly fault: string
  readonly found: string
  readonly line: string
}

function readSamples(name: string): readonly Sample[] {
  const text = readFileSync(join(import.meta.dirname, 'testdata', name), 'utf8')
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return lines.map((line) => {
    const [receiver = '', code = '', enhanced = '', classes = '', fault = '', ...words] = line.split(' | ')
    const found = classify({
      code: code === '-' ? undefined : Number(code),
      enhancedCode: enhanced === '-' ? undefined : enhanced,
      text: words.join(' | '),
    })
    return { receiver, classes: classes.split('/'), fault, found, line }
  })
}

for (const [name, rightShare, samplesMin] of [
  ['receiver-replies.txt', 0.97, 290],
  ['receiver-replies-held-out.txt', 0.85, 50],
] as const) {
  describe(name, () => {
    const samples = readSamples(name)

    test('is read whole, and says whose fault each class is', () => {
      assert.ok(samples.length >= samplesMin)
      for (const { classes, fault, line } of samples) {
        const blames: readonly string[] = classes.map((each) => BOUNCE_CLASSES[each as BounceClass])
        assert.ok(blames.includes(fault), line)
      }
    })

    test(`at least ${rightShare * 100} % get their class`, (context) => {
      const wrong = samples.filter(({ classes, found }) => !classes.includes(found))
      const share = 1 - wrong.length / samples.length
      context.diagnostic(`${samples.length - wrong.length} of ${samples.length}: ${(share * 100).toFixed(1)} %`)
      const list = wrong.map(({ found, line }) => `${found}: ${line}`).join('\n')
      assert.ok(share >= rightShare, `${(share * 100).toFixed(1)} %\n${list}`)
    })

    test('no address is blamed that is not at fault', () => {
      const blamed = samples.filter(({ found, fault }) => BLAMES_ADDRESS.includes(found) && fault !== 'recipient')
      assert.deepEqual(
        blamed.map(({ found, line }) => `${found}: ${line}`),
        [],
      )
    })
  })
}

test('the twenty largest receivers are there', () => {
  const receivers = new Set(readSamples('receiver-replies.txt').map(({ receiver }) => receiver))
  const largest =
    'Gmail,Microsoft,Yahoo,iCloud,GMX,Web.de,IONOS,T-Online,Comcast,AT&T,Cox,Spectrum,Orange,La Poste,Free,' +
    'Libero,Mail.ru,Yandex,QQ,NetEase,Naver,Proofpoint,Mimecast,Barracuda,Cisco,Zoho,OVH'
  for (const receiver of largest.split(',')) assert.ok(receivers.has(receiver), receiver)
})
