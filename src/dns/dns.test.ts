import assert from 'node:assert/strict'
import { Resolver } from 'node:dns'
import { after, before, describe, test } from 'node:test'
import { type DnsServer, openDnsServer } from '../../test/harness/dns/dns-server.ts'
import { createDns } from './dns.ts'

const LONG = `v=DKIM1; k=rsa; p=${'A'.repeat(392)}`
const never = () => new AbortController().signal
const askAt = (servers: readonly string[], name: string, signal: AbortSignal = never()) =>
  createDns({ servers }).session().resolve(name, 'TXT', signal)

describe('TXT records from a configured resolver, if the zone cannot be reached', () => {
  let server: DnsServer

  before(async () => {
    server = await openDnsServer({
      'one.test': { txt: [['v=spf1 ~all']] },
      'split.test': { txt: [[LONG.slice(0, 255), LONG.slice(255)]] },
      'several.test': { txt: [['first'], ['second', ' and rest']] },
      'empty-string.test': { txt: [['']] },
      'big.test': { txt: Array.from({ length: 20 }, (_, index) => [`${'x'.repeat(200)}${index}`]) },
      'alias.test': { cname: 'split.test' },
      'dangling.test': { cname: 'nowhere.test' },
      'circle.test': { cname: 'back.test' },
      'back.test': { cname: 'circle.test' },
      'no-data.test': 'no_data',
      'servfail.test': 'servfail',
      'refused.test': 'refused',
      'silent.test': 'silent',
    })
  })
  after(() => server.close())

  const ask = (name: string, signal: AbortSignal = never()) => askAt([server.address], name, signal)
  const valuesOf = async (name: string) => {
    const answer = await ask(name)
    return answer.kind === 'records' ? answer.values : answer
  }

  test('a record is returned as its text', async () => {
    assert.deepEqual(await valuesOf('one.test'), ['v=spf1 ~all'])
  })

  test('the strings of one record are joined without a separator', async () => {
    assert.deepEqual(await valuesOf('split.test'), [LONG])
  })

  test('several records stay apart', async () => {
    assert.deepEqual(await valuesOf('several.test'), ['first', 'second and rest'])
  })

  test('an empty string is a record, not its absence', async () => {
    assert.deepEqual(await valuesOf('empty-string.test'), [''])
  })

  test('an answer too big for a datagram is fetched over TCP, whole', async () => {
    const answer = await ask('big.test')
    assert.equal(answer.kind === 'records' && answer.values.length, 20)
    const asked = server.queries.filter(({ name, type }) => name === 'big.test' && type === 'TXT')
    assert.deepEqual(
      asked.map(({ transport }) => transport),
      ['udp', 'tcp'],
    )
  })

  test('a CNAME is followed', async () => {
    assert.deepEqual(await valuesOf('alias.test'), [LONG])
  })

  test('a CNAME loop is a mistake in the zone', async () => {
    const answer = await ask('circle.test')
    assert.ok(answer.kind === 'alias_loop' && answer.reason.includes('circle.test -> back.test -> circle.test'))
  })

  test('a missing name, a missing type and a dangling CNAME are distinguished from failure', async () => {
    assert.equal((await ask('missing.test')).kind, 'no_such_name')
    assert.equal((await ask('no-data.test')).kind, 'no_such_type')
    assert.equal((await ask('dangling.test')).kind, 'no_such_name')
  })

  test('SERVFAIL and REFUSED say nothing about the record', async () => {
    const failed = await ask('servfail.test')
    assert.ok(failed.kind === 'unreachable' && failed.reason.includes('SERVFAIL'), JSON.stringify(failed))
    const refused = await ask('refused.test')
    assert.ok(refused.kind === 'unreachable' && refused.reason.includes('REFUSED'), JSON.stringify(refused))
  })

  test('a silent server is abandoned as soon as the signal aborts', async () => {
    const abort = new AbortController()
    const asked = server.nextQuery()
    const answer = ask('silent.test', abort.signal)
    await asked
    abort.abort()
    const given = await answer
    // Not the text for a server that exceeded its own time limit.
    assert.ok(given.kind === 'unreachable' && given.reason.includes('check ran out of time'), JSON.stringify(given))
  })

  test('with an aborted signal nothing is sent', async () => {
    const asked = server.queries.length
    assert.equal((await ask('one.test', AbortSignal.abort())).kind, 'unreachable')
    assert.equal(server.queries.length, asked)
  })

  test('cancelling one query does not affect the others', async () => {
    const session = createDns({ servers: [server.address] }).session()
    const abort = new AbortController()
    const cancelled = session.resolve('silent.test', 'TXT', abort.signal)
    const other = session.resolve('one.test', 'TXT', never())
    abort.abort()
    assert.equal((await cancelled).kind, 'unreachable')
    assert.equal((await other).kind, 'records')
  })

  test('nothing is cached: a second query is sent again', async () => {
    const count = () => server.queries.filter(({ name, type }) => name === 'one.test' && type === 'TXT').length
    const asked = count()
    await ask('one.test')
    await ask('one.test')
    assert.equal(count(), asked + 2)
  })

  test('a closed port means unreachable, not missing', async () => {
    const gone = await openDnsServer({})
    await gone.close()
    const answer = await askAt([gone.address], 'one.test')
    assert.ok(answer.kind === 'unreachable' && answer.reason.includes('could not be reached'), JSON.stringify(answer))
  })

  test('an invalid name is unreachable, and nothing is sent', async () => {
    const asked = server.queries.length
    const names = [
      `${'a'.repeat(64)}.test`,
      'a..test',
      'a b.test',
      'a\0.test',
      '',
      '.',
      'localhost',
      'test',
      '10.0.0.1',
    ]
    for (const name of names) {
      const answer = await ask(name)
      assert.equal(answer.kind, 'unreachable', name)
    }
    assert.equal(server.queries.length, asked)
  })

  test('a second server takes over from one that fails, and from one that is silent', async () => {
    await using broken = await openDnsServer({ 'one.test': 'refused', test: 'silent' })
    const answer = await askAt([broken.address, server.address], 'one.test')
    assert.equal(answer.kind, 'records')
    await using silent = await openDnsServer({ 'one.test': 'silent' })
    const late = await askAt([silent.address, server.address], 'one.test')
    assert.equal(late.kind, 'records')
  })

  test('every server that failed is named', async () => {
    await using other = await openDnsServer({ 'refused.test': 'servfail' })
    const answer = await askAt([server.address, other.address], 'refused.test')
    assert.ok(answer.kind === 'unreachable')
    assert.ok(answer.reason.includes(`${server.address} refused`) && answer.reason.includes(`${other.address} failed`))
  })

  test('a server that answers with an error says more than one that does not answer', async () => {
    const closed = await openDnsServer({})
    await closed.close()
    const answer = await askAt([closed.address, server.address], 'refused.test')
    assert.equal(answer.kind === 'unreachable' && answer.failure, 'refused')
  })

  test('without configured servers those of the system are queried, and only then', async (t) => {
    const system = t.mock.method(Resolver.prototype, 'getServers', () => [server.address])
    const answer = await askAt([], 'one.test')
    assert.deepEqual(answer.kind === 'records' && answer.values, ['v=spf1 ~all'])
    assert.equal(system.mock.callCount(), 1)
    await ask('one.test')
    assert.equal(system.mock.callCount(), 1)
  })
})
