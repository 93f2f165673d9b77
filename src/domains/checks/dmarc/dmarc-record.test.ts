import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { isDmarcRecord, readDmarcRecord } from './dmarc-record.ts'

describe('DMARC records', () => {
  test('begin with exactly the version', () => {
    for (const text of ['v=DMARC1; p=none', 'v=DMARC1;p=none', 'v = DMARC1 ; p=none', 'v=DMARC1']) {
      assert.ok(isDmarcRecord(text), text)
    }
    for (const text of [
      'v=dmarc1; p=none',
      'p=none; v=DMARC1',
      'v=DMARC12; p=none',
      ' v=DMARC1; p=none',
      '',
      'v=spf1',
    ]) {
      assert.ok(!isDmarcRecord(text), text)
    }
  })

  test('policy and alignment, with their defaults', () => {
    assert.deepEqual(readDmarcRecord('v=DMARC1; p=reject'), {
      policy: 'reject',
      dkimAlignment: 'relaxed',
      spfAlignment: 'relaxed',
      odd: [],
    })
    assert.deepEqual(readDmarcRecord('v=DMARC1; p=none; sp=QUARANTINE; adkim=s; aspf=S;'), {
      policy: 'none',
      dkimAlignment: 'strict',
      spfAlignment: 'strict',
      odd: [],
    })
  })

  test('the policy is in lower case, whatever the record has', () => {
    assert.equal(readDmarcRecord('v=DMARC1; p=Quarantine')?.policy, 'quarantine')
  })

  test('every address for reports must have a scheme, a local part and a host', () => {
    const isOdd = (rua: string) => readDmarcRecord(`v=DMARC1; p=none; rua=${rua}`)?.odd.length === 1
    for (const rua of ['mailto:a@b', 'MAILTO:a@b.test', 'mailto:a@b.test, mailto:c@d.test']) assert.ok(!isOdd(rua), rua)
    for (const rua of [
      'mailto:a@b.test,c@d.test',
      'c@d.test,mailto:a@b.test',
      'john.smith@b.test',
      'mailto:nobody',
      'mailto:a@',
      'mailto:@b.test',
      'mailto:a b@c.test',
    ]) {
      assert.ok(isOdd(rua), rua)
    }
  })

  test('an unknown policy counts as none', () => {
    for (const text of ['v=DMARC1', 'v=DMARC1; p=', 'v=DMARC1; p=block', 'v=DMARC1; P=none']) {
      assert.equal(readDmarcRecord(text)?.policy, undefined, text)
    }
    assert.equal(readDmarcRecord('v=DMARC1; p=none; p=reject'), undefined)
  })

  test('tags that receivers will not understand are named as published', () => {
    const read = readDmarcRecord(
      'v=DMARC1; p=none; pct=101; rua=a@b.test; ruf=mailto:a@b.test,mailto:c@d.test; ri=86400',
    )
    assert.deepEqual(read?.odd, ['pct=101', 'rua=a@b.test'])
    assert.deepEqual(readDmarcRecord('v=DMARC1; p=none; rua=mailto:a@b.test!10m')?.odd, [])
  })

  test('a tag with the name of an object method is an unknown tag like any other', () => {
    for (const tag of ['constructor', 'toString', 'hasOwnProperty']) {
      assert.deepEqual(readDmarcRecord(`v=DMARC1; p=none; ${tag}=x`)?.odd, [], tag)
    }
  })
})
