/** Existing logs of mail servers: files read by `import`, PowerMTA's accounting files by `tail`. */
import assert from 'node:assert/strict'
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { LogClient } from '../harness/log/log-client.ts'
import { type Installation, openInstallation } from '../harness/programs/installation.ts'
import { eventually, startTail } from '../harness/programs/tail-process.ts'

const ID = '01890a5d-ac96-774b-bcce-b302099a8057'
const COLUMNS = 'type,timeLogged,orig,rcpt,dsnStatus,dsnDiag,dsnMta,bounceCat,envId,header_Subject,header_From'

/** A few minutes ago, so that it is within the retention period. */
const at = (second: number) => new Date(Math.floor(Date.now() / 1000 - 600 + second) * 1000)
const iso = (second: number) => at(second).toISOString()
const eximTime = (second: number) => `${iso(second).slice(0, 19).replace('T', ' ')} +0000`
const unix = (second: number) => at(second).getTime() / 1000

describe('existing logs', () => {
  let installation: Installation
  before(async () => {
    installation = await openInstallation()
  })
  after(() => installation[Symbol.dispose]())

  test('of Postfix are read as one log, even if a message begins in one file and ends in the next', async () => {
    const folder = dirname(installation.dataDir)
    const line = (second: number, words: string) => `${iso(second)} mail postfix/${words}\n`
    const old = [
      line(0, 'smtpd[11]: 4jRxmD32Gqz2RHX8: client=app[10.0.0.5]'),
      line(0, 'cleanup[12]: 4jRxmD32Gqz2RHX8: message-id=<m1@acme.test>'),
      line(0, 'qmgr[13]: 4jRxmD32Gqz2RHX8: from=<news@acme.test>, size=365, nrcpt=1 (queue active)'),
    ]
    const sent = 'delay=0.2, delays=0/0/0/0, dsn=2.0.0, status=sent (250 2.0.0 Ok)'
    const recent = line(
      1,
      `smtp[21]: 4jRxmD32Gqz2RHX8: to=<a@example.org>, relay=mx.example.org[192.0.2.25]:25, ${sent}`,
    )
    writeFileSync(join(folder, 'mail.log.1.gz'), gzipSync(old.join('')))
    writeFileSync(join(folder, 'mail.log'), recent)
    const files = [join(folder, 'mail.log.1.gz'), join(folder, 'mail.log')]
    for (const expected of [
      { stored: 2, duplicates: 0 },
      { stored: 0, duplicates: 2 },
    ]) {
      const { stdout, stderr } = await installation.cli('--json', 'import', '--format', 'postfix', ...files)
      assert.equal(stderr, '')
      assert.deepEqual(JSON.parse(stdout), { ...expected, rejected: 0, rejections: [] })
    }
  })

  test('whose messages cannot be attributed fail, and say how many there were and why', async () => {
    const file = join(dirname(installation.dataDir), 'local.log')
    const line = (words: string) => `${iso(0)} mail postfix/${words}\n`
    const sent = 'relay=mx.example.org[192.0.2.25]:25, delay=0.2, delays=0/0/0/0, dsn=2.0.0, status=sent (250 2.0.0 Ok)'
    writeFileSync(
      file,
      line('qmgr[13]: 4jRxmD32Gqz2RHX8: from=<www-data>, size=365, nrcpt=1 (queue active)') +
        line(`smtp[21]: 4jRxmD32Gqz2RHX8: to=<a@example.org>, ${sent}`) +
        line(`smtp[21]: 4jRxmD5zB6z2RHZN: to=<b@example.org>, ${sent}`),
    )
    const asJson = await installation.cli('--json', 'import', '--format', 'postfix', file)
    assert.deepEqual(JSON.parse(asJson.stdout), {
      stored: 0,
      duplicates: 0,
      rejected: 0,
      rejections: [],
      left_out: { no_sender_domain: 1, sender_not_logged: 1 },
    })
    assert.equal(asJson.exitCode, 1)
    const tail = await installation.cli('tail', 'postfix', file, '--once')
    assert.match(tail.stderr, /^envelog: 1 outcome left out: neither the sender nor From names a domain\.$/m)
    assert.match(tail.stdout, /^1 outcome left out: the log has no line with the sender of the message\.$/m)
  })

  test('of Exim give the same ids on every machine with the same --host', async () => {
    const file = join(dirname(installation.dataDir), 'mainlog')
    const line = (second: number, words: string) => `${eximTime(second)} 1xSTpC-000007-2s ${words}\n`
    writeFileSync(
      file,
      line(0, '<= news@acme.test H=(app) [192.0.2.7] P=esmtp S=404 for a@example.org') +
        line(1, '=> a@example.org R=dnslookup T=remote_smtp H=mx.example.org [192.0.2.10] C="250 OK"'),
    )
    const stored = async (host: string) => {
      const { stdout } = await installation.cli('--json', 'import', '--format', 'exim', '--host', host, file)
      return (JSON.parse(stdout) as { stored: number }).stored
    }
    assert.deepEqual([await stored('mx1'), await stored('mx1'), await stored('mx2')], [2, 0, 2])
  })

  test('in another format than given are reported with the likely mistake, and not quarantined', async () => {
    const file = join(dirname(installation.dataDir), 'other.log')
    writeFileSync(file, `${iso(0)} mail postfix/qmgr[13]: 4jRxmD32Gqz2RHX8: removed\n`.repeat(500))
    const asExim = await installation.cli('--json', 'import', '--format', 'exim', file)
    assert.equal(asExim.exitCode, 1)
    assert.match(
      asExim.stderr,
      /^envelog: \S*other\.log: nothing in it \(500 lines\) .*exim\. Did you mean --format postfix\?\n$/,
    )
    assert.deepEqual(JSON.parse(asExim.stdout), { stored: 0, duplicates: 0, rejected: 0, rejections: [] })
    for (const format of ['native', 'kumomta', 'powermta']) {
      const refused = await installation.cli('import', '--format', format, file)
      assert.equal(refused.exitCode, 1, format)
      assert.match(refused.stderr, /other\.log: .*Did you mean --format postfix\?\n$/, format)
    }
    const { stdout } = await installation.cli('--json', 'rejected', 'list')
    assert.partialDeepStrictEqual(JSON.parse(stdout), { count: 0 })
  })

  test('of PowerMTA that cannot be parsed are rejected line by line, and so is a report about an unknown message', async () => {
    const file = join(dirname(installation.dataDir), 'acct-2026-11-15-0000.csv')
    const record = (type: string, id: string) => `${type},${unix(0)},news@acme.test,a@example.org,,,,,${id},,`
    const lines = [
      COLUMNS,
      record('d', ID),
      record('rb', ID),
      record('rb', ID.replace('0', '1')),
      'd,too,few',
      'd,"cut',
    ]
    writeFileSync(file, `${lines.join('\r\n')}\r\n`)
    const { stdout } = await installation.cli('--json', 'import', '--format', 'powermta', file)
    const counts = JSON.parse(stdout) as { stored: number; rejections: { line: number; error: string }[] }
    assert.equal(counts.stored, 2)
    assert.deepEqual(
      counts.rejections.map(({ line, error }) => [line, error]),
      [
        [4, 'the report does not match any message in the log'],
        [5, 'the record has 3 values, but the header line names 11 columns'],
        [6, 'the record ends within quotes'],
      ],
    )
  })
})

test("PowerMTA's files are followed from one to the next, once each, although processes are killed meanwhile", async () => {
  using installation = await openInstallation()
  const cwd = dirname(installation.dataDir)
  const folder = join(cwd, 'pmta')
  mkdirSync(folder)
  await using processes = new AsyncDisposableStack()
  let server = processes.use(await installation.start())
  const port = new URL(server.address).port
  writeFileSync(join(cwd, 'key'), installation.ingestKey)
  const follow = () => {
    const options = ['--url', server.address, '--key-file', join(cwd, 'key')]
    const env = { ENVELOG_DATA_DIR: join(cwd, 'tail-data') }
    return processes.use(startTail(['powermta', join(folder, 'acct.csv'), ...options], { cwd, env }))
  }
  let written = 0
  const write = (file: number, count: number) => {
    const path = join(folder, `acct-2026-11-15-000${file}.csv`)
    if (written % 20 === 0) appendFileSync(path, `${COLUMNS}\r\n`)
    for (let n = 0; n < count; n++, written++) {
      const values = `news@acme.test,user${written}@example.org,2.0.0 (success),smtp;250 2.0.0 Ok ${written}`
      const more = `mx.example.org (192.0.2.10),,${ID}-${written},"Hello, ${written}",Acme <hello@acme.test>`
      appendFileSync(path, `d,${unix(written)},${values},${more}\r\n`)
    }
  }
  const listed = async () => {
    const events = await new LogClient(server.address, installation).listAll('acme.test')
    return events.map(({ recipient, subject, response_content: text }) => `${recipient} ${subject} ${text}`).sort()
  }
  const expected = () => Array.from({ length: written }, (_, n) => `user${n}@example.org Hello, ${n} Ok ${n}`).sort()
  const arrived = () =>
    eventually(async () => {
      const { length } = await listed()
      return length === written ? undefined : `${length} of ${written}`
    })

  write(0, 20)
  let tail = follow()
  await arrived()
  await tail.kill()
  await server.kill()
  write(1, 10)
  server = processes.use(await installation.start({ ENVELOG_PORT: port }))
  tail = follow()
  await arrived()
  await tail.kill()
  write(1, 10)
  write(2, 20)
  tail = follow()
  await arrived()
  await tail.stop()
  assert.deepEqual(await listed(), expected())
})
