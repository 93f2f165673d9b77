import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type DnsServer, openDnsServer } from '../../test/harness/dns-server.ts'
import { createNodeDnsResolver } from './node-dns-resolver.ts'

const LONG = `v=DKIM1; k=rsa; p=${'A'.repeat(392)}`
const never = () => new AbortController().signal

describe('the resolver on Node', () => {
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
      'no-data.test': 'no_data',
      'servfail.test': 'servfail',
      'refused.test': 'refused',
      'silent.test': 'silent',
    })
  })
  after(() => server.close())

  const ask = (name: string, signal: AbortSignal = never()) =>
    createNodeDnsResolver({ servers: [server.address] }).resolveTxt(name, signal)

  test('a record is returned as its text', async () => {
    assert.deepEqual(await ask('one.test'), { kind: 'records', values: ['v=spf1 ~all'] })
  })

  test('the strings of one record are joined without a separator', async () => {
    assert.deepEqual(await ask('split.test'), { kind: 'records', values: [LONG] })
  })

  test('several records stay apart', async () => {
    const answer = await ask('several.test')
    assert.equal(answer.kind, 'records')
    assert.deepEqual(answer.kind === 'records' && answer.values.toSorted(), ['first', 'second and rest'])
  })

  test('an empty string is a record, not its absence', async () => {
    assert.deepEqual(await ask('empty-string.test'), { kind: 'records', values: [''] })
  })

  test('an answer too big for a datagram is fetched over TCP, whole', async () => {
    const answer = await ask('big.test')
    assert.equal(answer.kind === 'records' && answer.values.length, 20)
    const transports = server.queries.filter(({ name }) => name === 'big.test').map(({ transport }) => transport)
    assert.deepEqual(transports, ['udp', 'tcp'])
  })

  test('a CNAME is followed', async () => {
    assert.deepEqual(await ask('alias.test'), { kind: 'records', values: [LONG] })
  })

  test('a name that does not exist, one without TXT and a CNAME to nowhere are told apart from failure', async () => {
    assert.deepEqual(await ask('missing.test'), { kind: 'no_such_name' })
    assert.deepEqual(await ask('no-data.test'), { kind: 'no_such_type' })
    const dangling = await ask('dangling.test')
    assert.notEqual(dangling.kind, 'records')
    assert.notEqual(dangling.kind, 'unreachable')
  })

  test('SERVFAIL and REFUSED are no statement about the record', async () => {
    const failed = await ask('servfail.test')
    assert.ok(failed.kind === 'unreachable' && failed.reason.includes('SERVFAIL'), JSON.stringify(failed))
    const refused = await ask('refused.test')
    assert.ok(refused.kind === 'unreachable' && refused.reason.includes('REFUSED'), JSON.stringify(refused))
  })

  test('a silent server is given up as soon as the signal aborts', async () => {
    const abort = new AbortController()
    const asked = server.nextQuery()
    const answer = ask('silent.test', abort.signal)
    await asked
    abort.abort()
    // Not the words for a server that took too long by itself.
    assert.deepEqual(await answer, {
      kind: 'unreachable',
      reason: 'the check ran out of time before a name server answered',
    })
  })

  test('an aborted signal asks nothing', async () => {
    const asked = server.queries.length
    assert.equal((await ask('one.test', AbortSignal.abort())).kind, 'unreachable')
    assert.equal(server.queries.length, asked)
  })

  test('cancelling one question leaves the others alone', async () => {
    const resolver = createNodeDnsResolver({ servers: [server.address] })
    const abort = new AbortController()
    const cancelled = resolver.resolveTxt('silent.test', abort.signal)
    const other = resolver.resolveTxt('one.test', never())
    abort.abort()
    assert.equal((await cancelled).kind, 'unreachable')
    assert.equal((await other).kind, 'records')
  })

  test('nothing is remembered: a second question is asked again', async () => {
    const asked = server.queries.length
    await ask('one.test')
    await ask('one.test')
    assert.equal(server.queries.length, asked + 2)
  })

  test('a port on which nobody listens is unreachable, not missing', async () => {
    const gone = await openDnsServer({})
    await gone.close()
    const answer = await createNodeDnsResolver({ servers: [gone.address] }).resolveTxt('one.test', never())
    assert.equal(answer.kind, 'unreachable')
  })

  test('a name that DNS cannot carry is unreachable and does not throw', async () => {
    assert.equal((await ask(`${'a'.repeat(64)}.test`)).kind, 'unreachable')
  })
})
