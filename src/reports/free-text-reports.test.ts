/** Of the bounce messages in free text, how many become the right event, and of other mail, how many become one at all. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { type CollectedMail, readMailCorpus } from '../../test/harness/mail/mail-corpus.ts'
import { openReportScene, RECIPIENT, type ReportScene } from '../../test/harness/mail/report-scene.ts'

const FOLDER = join(import.meta.dirname, '../connectors/report/words/testdata')
const SHARE_MIN = 0.95
const EVENT_OF_ACTION: Readonly<Record<string, string>> = { failed: 'OOBBounce', delayed: 'Delayed' }
/** The code of a delay is the interface's, not that of the server. */
const CODE_OF_DELAY = 400

const bounces = readMailCorpus(FOLDER, 'bounces-*.txt')
const others = readMailCorpus(FOLDER, 'others-*.txt')

async function take(scene: ReportScene, mail: CollectedMail, messageId: string) {
  const path = await scene.deliver(messageId)
  await scene.reports.ingest(mail.write(path, RECIPIENT), { kind: 'smtp', name: '192.0.2.1' })
  return scene.reported(messageId)
}

/** Why the event is not the expected one; undefined if it is. */
async function findFault(scene: ReportScene, mail: CollectedMail, messageId: string): Promise<string | undefined> {
  const [server, action = '', code, words = ''] = mail.about
  const [event, ...more] = await take(scene, mail, messageId)
  if (!event || more.length > 0) return `${server}: ${more.length + (event ? 1 : 0)} events`
  const { type, recipient, response_code, response_content = '' } = event
  const expected = action === 'delayed' ? `${CODE_OF_DELAY}` : code
  const isRight = type === EVENT_OF_ACTION[action] && recipient === RECIPIENT && `${response_code ?? '-'}` === expected
  if (isRight && response_content.includes(words) && response_content.length <= 1000) return undefined
  return `${server}: ${type} ${response_code} ${response_content}`
}

describe('mail in free text to a signed return path', () => {
  test('the collection is large enough', () => {
    assert.ok(bounces.length >= 80)
    assert.ok(new Set(bounces.map(({ about: [server = ''] }) => server.replace(/,.*/, ''))).size >= 25)
    assert.ok(others.length >= 60)
  })

  test('at least 95 % of the bounce messages become the right event, with the words of the server', async (context) => {
    const scene = await openReportScene()
    const faults: string[] = []
    for (const [index, mail] of bounces.entries()) {
      const fault = await findFault(scene, mail, `bounce-${index}`)
      if (fault !== undefined) faults.push(fault)
    }
    const share = 1 - faults.length / bounces.length
    context.diagnostic(`${(share * 100).toFixed(1)} % of ${bounces.length}`)
    for (const fault of faults) context.diagnostic(fault)
    assert.ok(share >= SHARE_MIN, faults.join('\n'))
  })

  test('no other mail becomes an event', async () => {
    const scene = await openReportScene()
    const wrong: string[] = []
    for (const [index, mail] of others.entries()) {
      const [event] = await take(scene, mail, `other-${index}`)
      if (event) wrong.push(`${mail.about[0]}: ${event.type} ${event.response_content}`)
    }
    assert.deepEqual(wrong, [])
  })
})
