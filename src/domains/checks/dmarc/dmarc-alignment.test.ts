import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listAlignmentWarnings } from './dmarc-alignment.ts'
import { readDmarcRecord } from './dmarc-record.ts'

const RETURN_PATH = { type: 'CNAME', value: 'return.test', purpose: 'RETURN_PATH', required: false } as const

function warningsOf(tags: string, request: { readonly sendingEmail?: string; readonly returnPath?: string } = {}) {
  const record = readDmarcRecord(`v=DMARC1; p=none; ${tags}`)
  assert.ok(record)
  const { sendingEmail, returnPath: name } = request
  const records = name === undefined ? [] : [{ ...RETURN_PATH, name, status: 'pending', actual: [] } as const]
  return listAlignmentWarnings('_dmarc.example.com', record, {
    domainName: 'example.com',
    records,
    ...(sendingEmail !== undefined && { sendingEmail }),
  })
}

test('only strict alignment can fail, and only if the names differ', () => {
  const elsewhere = { sendingEmail: 'news@mail.example.com', returnPath: 'bounces.example.com' }
  assert.deepEqual(warningsOf('', elsewhere), [])
  assert.deepEqual(warningsOf('adkim=r; aspf=r', elsewhere), [])
  assert.match(warningsOf('adkim=s', elsewhere).join(), /^The DMARC record .* says adkim=s .*Write adkim=r\.$/)
  assert.match(warningsOf('aspf=s', elsewhere).join(), /^The DMARC record .* says aspf=s .*Write aspf=r\.$/)
  assert.equal(warningsOf('adkim=s; aspf=s', elsewhere).length, 2)
})

test('without an address and a return path, mail is aligned; the letter case of the address does not matter', () => {
  assert.deepEqual(warningsOf('adkim=s; aspf=s'), [])
  assert.deepEqual(warningsOf('adkim=s; aspf=s', { sendingEmail: 'news@EXAMPLE.com' }), [])
  assert.deepEqual(warningsOf('aspf=s', { sendingEmail: 'a@m.example.com', returnPath: 'm.example.com' }), [])
})
