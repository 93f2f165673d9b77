import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type AppFixture, openAppFixture } from '../../../test/harness/app/app-fixture.ts'

const HOUR_MS = 3_600_000

function publish(fixture: AppFixture): void {
  for (const { name, value } of fixture.acme.domains[0].dnsRecords) {
    fixture.dns.set(name, { kind: 'records', values: [value] })
  }
}

function withdraw(fixture: AppFixture): void {
  for (const { name } of fixture.acme.domains[0].dnsRecords) fixture.dns.delete(name)
}

/** The lines about domains, without times. */
function linesOf({ logLines }: AppFixture) {
  return logLines.filter((line) => 'domain' in line).map((line) => ({ ...line, time: 0 }))
}

async function metricsOf(fixture: AppFixture): Promise<readonly string[]> {
  const { body } = await fixture.get('/metrics', null)
  return body.split('\n').filter((line) => line.startsWith('envelog_domain'))
}

describe('a domain that is verified, fails, recovers and breaks', () => {
  test('is logged once per change, and not for checks that change nothing', async () => {
    await using fixture = await openAppFixture()
    const { id } = fixture.acme.domains[0]
    const recheck = async () => {
      fixture.advance(HOUR_MS)
      await fixture.verifications.recheck(id)
    }
    await fixture.post(`/api/v2/domain/${id}/verify`)
    assert.deepEqual(linesOf(fixture), [])
    publish(fixture)
    await fixture.post(`/api/v2/domain/${id}/verify`)
    await recheck()
    withdraw(fixture)
    await recheck()
    publish(fixture)
    await recheck()
    withdraw(fixture)
    await recheck()
    await recheck()
    await recheck()
    const common = { time: 0, domain: 'acme.test', trigger: 'scheduled' }
    const fails = {
      level: 40,
      ...common,
      errors: ['TXT', 'TXT'],
      msg: 'a verified domain failed its check; it loses its verification if another check in an hour fails too',
    }
    assert.deepEqual(linesOf(fixture), [
      { level: 30, ...common, trigger: 'asked', errors: [], msg: 'a domain was verified' },
      fails,
      { level: 30, ...common, errors: [], msg: 'a failing domain is correct again' },
      fails,
      { level: 40, ...common, errors: ['TXT', 'TXT'], msg: 'a domain is no longer verified' },
    ])
    assert.doesNotMatch(fixture.logText, /PRIVATE|p=MII/)
  })

  test('is counted in the metrics: domains by state, checks by trigger and outcome, and breakages', async () => {
    await using fixture = await openAppFixture()
    const { id } = fixture.acme.domains[0]
    await fixture.storage.control.domains.setActive(fixture.rival.domains[0].id, false, fixture.nowMs)
    const states = ['verified', 'failing', 'unverified', 'inactive']
    const counts = async () => {
      const lines = await metricsOf(fixture)
      return states.map((state) =>
        lines
          .find((line) => line.includes(`{state="${state}"}`))
          ?.split(' ')
          .at(-1),
      )
    }
    assert.deepEqual(await counts(), ['0', '0', '3', '1'])
    publish(fixture)
    await fixture.post(`/api/v2/domain/${id}/verify`)
    assert.deepEqual(await counts(), ['1', '0', '2', '1'])
    withdraw(fixture)
    await fixture.verifications.recheck(id)
    assert.deepEqual(await counts(), ['0', '1', '2', '1'])
    fixture.advance(HOUR_MS)
    await fixture.verifications.recheck(id)
    assert.deepEqual(await counts(), ['0', '0', '3', '1'])
    const lines = await metricsOf(fixture)
    for (const line of [
      'envelog_domain_checks_total{trigger="asked",outcome="all_right"} 1',
      'envelog_domain_checks_total{trigger="scheduled",outcome="record_wrong"} 2',
      'envelog_domains_broken_total 1',
    ]) {
      assert.ok(lines.includes(line), `${line} is missing in ${lines.join('\n')}`)
    }
    assert.doesNotMatch(lines.join('\n'), /acme|rival/)
  })
})
