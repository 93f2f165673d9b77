/** Every parser of input that strangers can choose. */
import { rewriteHtml } from '../../../integrations/haraka/lib/tracking/rewrite-html.mjs'
import { rewriteMessage } from '../../../integrations/haraka/lib/tracking/rewrite-message.mjs'
import { createTokens } from '../../../integrations/haraka/lib/tracking/token.mjs'
import { createKnowledge } from '../../../src/classification/knowledge.ts'
import { toNdjson } from '../../../src/cli/client/ndjson-body.ts'
import { LineSplitter } from '../../../src/cli/files/line-splitter.ts'
import { JsonSplitter } from '../../../src/cli/import/json-splitter.ts'
import { suggestFormat } from '../../../src/cli/import/suggest-format.ts'
import { findLogDialect, LOG_DIALECTS, LOG_READERS } from '../../../src/connectors/log-readers.ts'
import { CONNECTOR_NAMES, createConnectors } from '../../../src/connectors/registry.ts'
import { readReport } from '../../../src/connectors/report/read-report.ts'
import { findFromAddress } from '../../../src/connectors/shared/address.ts'
import { decodeHeaderText, readHeaders } from '../../../src/connectors/shared/header-text.ts'
import { parseMessage } from '../../../src/dns/wire/message.ts'
import { judgeDkim, readWantedDkim } from '../../../src/domains/checks/dkim/dkim-record.ts'
import { readTagList } from '../../../src/domains/checks/dkim/tag-list.ts'
import { isDmarcRecord, readDmarcRecord } from '../../../src/domains/checks/dmarc/dmarc-record.ts'
import { repairText } from '../../../src/domains/checks/mistakes/copied-text.ts'
import { suggestSpf } from '../../../src/domains/checks/spf/spf-suggestion.ts'
import { correctVersion } from '../../../src/domains/checks/spf/spf-version.ts'
import { normalizeDomainName, organizationalDomain, parseDomainName } from '../../../src/domains/domain-name.ts'
import { readIpAddress } from '../../../src/domains/ip-address.ts'
import { printable } from '../../../src/domains/printable-text.ts'
import { findRequired } from '../../../src/domains/spf/required/find-required.ts'
import { describeSyntaxProblem } from '../../../src/domains/spf/syntax/describe-syntax-problem.ts'
import { listJoined } from '../../../src/domains/spf/syntax/joined-terms.ts'
import { readSpfRecord } from '../../../src/domains/spf/syntax/spf-record.ts'
import { readSpfTree } from '../../../src/domains/spf/tree/read-spf-tree.ts'
import { exchangesOf } from '../../../src/domains/spf/tree/spf-dns.ts'
import { parseEvent } from '../../../src/events/ingest/parse-event.ts'
import { toRawRecord } from '../../../src/events/ingest/raw-record.ts'
import { splitRecords } from '../../../src/events/ingest/split-records.ts'
import { maskReply } from '../../../src/events/replies/mask-reply.ts'
import { csvFile } from '../../../src/http/v1/log/event-file.ts'
import { createSigner } from '../../../src/lib/sealing/signer.ts'
import { foldCase } from '../../../src/lib/text/case-folding.ts'
import { scanJsonValue } from '../../../src/lib/text/json-scan.ts'
import { tallyJson } from '../../../src/lib/text/json-tally.ts'
import { createReferences } from '../../../src/reports/reference.ts'
import { findFullReference, findInAddress, namesAbove } from '../../../src/reports/return-path.ts'
import { findMachine } from '../../../src/tracking/machines.ts'
import { chainInput, pointerInput, wireInput } from './dns-inputs.ts'
import type { Parser } from './growth.ts'
import { samplesOf, stretchedFields } from './inputs.ts'
import { TEXTS_OF_OPERATORS } from './operator-parsers.ts'
import { REQUEST_PARSERS } from './request-parsers.ts'
import { bytes, text } from './text-parser.ts'

/** Of a pipe. */
const CHUNK_BYTES = 4096
const NOW_MS = Date.UTC(2026, 10, 15)
const connectors = createConnectors()
const knowledge = createKnowledge()
const tokens = createTokens(Buffer.alloc(32, 1))
const TRACKING = {
  tokens,
  baseUrl: 'https://links.acme.test',
  domain: 'acme.test',
  messageId: 'm1',
  recipient: 'ann@example.org',
  time: 1_794_724_823,
}
const EVENT = {
  id: '01890a5d-ac96-774b-bcce-b302099a8057',
  timestamp: 1_794_700_800,
  type: 'Bounce',
  domain_name: 'acme.test',
  sender: 'bounce+1@bounces.acme.test',
  from: 'Acme <hello@acme.test>',
  recipient: 'ada@example.org',
  subject: 'Hello',
  response_content: '550 5.1.1 no such user',
  peer_name: 'mx.example.org',
  service_message_id: 'm1',
}

/** Sample records by connector; the contract test of this table asks for one of each. */
const RECORDS: Readonly<Record<string, readonly unknown[]>> = {
  native: [EVENT],
  kumomta: samplesOf('connectors/kumomta/testdata', '.in.json', 6).map((json) => JSON.parse(json)),
  haraka: samplesOf('connectors/haraka/testdata', '.in.json', 6).map((json) => JSON.parse(json)),
  maillog: [{ sender_domains: ['acme.test'], event: EVENT }],
  tracking: [
    {
      type: 'Click',
      message_id: 'm1',
      domain: 'acme.test',
      recipient: 'ada@example.org',
      target: 'https://acme.test/',
      time: 1_794_700_800,
    },
  ],
}

/** Sample lines by log reader. */
const LINES: Readonly<Record<string, readonly string[]>> = {
  exim: [
    '2026-11-15 06:34:50 +0000 1xSTpC-000007-2s <= a@acme.test H=(c.test) [192.0.2.7] P=esmtp S=404 id=l1@acme.test T="Hi" for ada@example.org',
    '2026-11-15 06:34:51 +0000 1xSTpC-000007-2s => ada@example.org R=dnslookup T=remote_smtp H=mx.example.org [192.0.2.10] C="250 2.0.0 Ok"',
    '2026-11-15 06:34:51 +0000 1xSTpC-000007-2s ** ada@example.org R=dnslookup T=remote_smtp H=mx.example.org [192.0.2.10]: SMTP error from remote mail server after RCPT TO:<ada@example.org>: 550 5.1.1 no such user',
    '2026-11-15 06:34:51 +0000 1xSTpC-000007-2s == ada@example.org R=dnslookup T=remote_smtp defer (-44) H=mx.example.org [192.0.2.10]: SMTP error: 451 later',
    '2026-11-15 06:34:51 +0000 1xSTpC-000007-2s => ada@example.org R=dnslookup T=remote_smtp H=mx.example.org [192.0.2.10]:25 I=[192.0.2.1]:4001 X=TLS1.3:A:256 CV=no DN="CN=mx.example.org" C="250 Ok"',
    '2026-11-15 06:34:50 +0000 1xSTpC-000007-2s From:  Acme <hello@acme.test> ',
  ],
  postfix: [
    '2026-11-15T03:00:00.123456+00:00 mail postfix/cleanup[12]: 4jRxmD32Gqz2RHX8: info: header From: Acme <hello@acme.test> from app[10.0.0.5]; from=<b@acme.test> to=<anna@example.org> proto=ESMTP helo=<app>',
    'Nov 15 03:00:00 mail postfix/smtp[14]: 4jRxmD32Gqz2RHX8: to=<anna@example.org>, orig_to=<a@b.test>, relay=mx.example.org[192.0.2.10]:25, delay=0.5, delays=0/0/0/0.5, dsn=5.1.1, status=bounced (host mx.example.org[192.0.2.10] said: 550 5.1.1 no such user (in reply to RCPT TO command))',
    '2026-11-15T03:00:00.123456+00:00 mail postfix/smtp[13]: Untrusted TLS connection established to mx.example.org[192.0.2.10]:25: TLSv1.3 with cipher TLS_AES_256_GCM_SHA384 (256/256 bits)',
    '2026-11-15T03:00:00.123456+00:00 mail postfix/qmgr[13]: 4jRxmD32Gqz2RHX8: from=<b@acme.test>, size=365, nrcpt=1 (queue active)',
    '<22>1 2026-11-15T03:00:00.123456Z mail postfix/smtp 14 ID47 [meta a="b\\"c"][origin d="e"] 4jRxmD32Gqz2RHX8: removed',
    'postfix-1  | 2026-11-15T03:00:00.123456789Z Nov 15 03:00:00.123456 mail postfix/qmgr[13]: 4jRxmD32Gqz2RHX8: removed',
    '{"MESSAGE":"4jRxmD32Gqz2RHX8: removed","SYSLOG_IDENTIFIER":"postfix/qmgr","__REALTIME_TIMESTAMP":"1794711600123456","_HOSTNAME":"mail"}',
    '{"log":"Nov 15 03:00:00 mail postfix/qmgr[13]: 4jRxmD32Gqz2RHX8: removed\\n","time":"2026-11-15T03:00:00.123456789Z"}',
  ],
  powermta: [
    'b,2026-11-15 06:34:51+0000,2026-11-15 06:34:50+0000,bounce+1@acme.test,ada@example.org,,failed,5.1.1 (bad),smtp;550-5.1.1 no such,mx.example.org (192.0.2.10),bad-mailbox,smtp,app (192.0.2.7),"A,B",letter-1@acme.test,"Hello",Acme <hello@acme.test>',
    '{"type":"b","timeLogged":"2026-11-15 06:34:51+0000","orig":"b@acme.test","rcpt":"ada@example.org","dsnDiag":"smtp;550 5.1.1 no","dlvSourceIp":"192.0.2.1","vmta":"v1"}',
  ],
}
const POWERMTA_HEAD =
  'type,timeLogged,timeQueued,orig,rcpt,orcpt,dsnAction,dsnStatus,dsnDiag,dsnMta,bounceCat,srcType,srcMta,dlvEsmtpAvailable,header_Message-Id,header_Subject,header_From'

const MESSAGES = samplesOf('connectors/report/testdata', '.eml', 2)
const FREE_TEXT =
  'Return-Path: <>\r\nFrom: MAILER-DAEMON@mx.example.org\r\nSubject: failure notice\r\n\r\nYour message could not be delivered to:\r\n\r\n<ada@example.org>:\r\n550 5.1.1 no such user\r\n\r\n--- Original message follows.\r\nReceived: x\r\n'
const FREE_HTML =
  'From: postmaster@mx.example.org\r\nContent-Type: text/html; charset=utf-8\r\n\r\n<p>Your message couldn&#39;t be <b>delivered</b></p>'
const HTML_MESSAGE = [
  'From: a@acme.test',
  'Subject: =?utf-8?q?a?=',
  'MIME-Version: 1.0',
  'Content-Type: multipart/alternative; boundary="b1"',
  '',
  '--b1',
  'Content-Type: text/html; charset=utf-8',
  'Content-Transfer-Encoding: quoted-printable',
  '',
  '<p><a href=3D"https://acme.test/?a=3D1">x</a></p>',
  '--b1--',
  '',
].join('\r\n')
const SPF =
  'v=spf1 include:spf.operator.test ip4:192.0.2.0/24 a:mx.example.org/24//64 exists:%{i}.x.test redirect=y.test ~all'
const DKIM = `v=DKIM1; k=rsa; h=sha256; s=email; t=y; p=${Buffer.alloc(100, 7).toString('base64')}`
const DMARC =
  'v=DMARC1; p=none; sp=reject; adkim=s; pct=50; rua=mailto:a@acme.test,mailto:b@acme.test; ruf=mailto:c@acme.test'

function toConnectorParser(name: string): Parser {
  const inputs = stretchedFields(...(RECORDS[name] ?? []))
  const parse = (record: unknown) => {
    const told = connectors.get(name)?.toEvents(record) ?? []
    return told.map(({ event }) => parseEvent(event, 'service_message_id'))
  }
  return { name: `connector ${name}`, inputs, parse }
}

function toLogParser(dialect: (typeof LOG_DIALECTS)[number]): Parser {
  const lines = LINES[dialect] ?? []
  return text(`log of ${dialect}`, lines, (line) => {
    const reader = LOG_READERS[dialect]({ remembered: [], host: 'mail', nowMs: () => NOW_MS })
    if (dialect === 'powermta') reader.read(POWERMTA_HEAD)
    return [...line.split('\n').flatMap((one) => reader.read(one)), ...(reader.finish?.() ?? [])]
  })
}

async function judgeSpfText(record: string): Promise<unknown> {
  const read = readSpfRecord(record)
  const described = read.problems.slice(0, 3).map(describeSyntaxProblem)
  const tree = await readSpfTree('acme.test', (name, type) =>
    Promise.resolve(
      name === 'acme.test' && type === 'TXT' ? { kind: 'records', values: [record] } : { kind: 'no_such_name' },
    ),
  )
  const suggested = await suggestSpf([record], ['include:x.test'], 'v=spf1 ~all', () =>
    Promise.resolve({ isRight: false, faultyTerm: 'a' }),
  )
  return [
    listJoined(record),
    correctVersion(record),
    described,
    findRequired(tree, { include: 'x.test' }),
    findRequired(tree, { ip4: '1.0.0.0/8' }),
    suggested,
  ]
}

export const PARSERS: readonly Parser[] = [
  ...REQUEST_PARSERS,
  ...TEXTS_OF_OPERATORS,
  ...CONNECTOR_NAMES.map(toConnectorParser),
  ...LOG_DIALECTS.map(toLogParser),
  text('format of a log', [LINES['exim']?.[0] ?? ''], (line) => findLogDialect(line.split('\n', 100), () => NOW_MS)),
  text('report', MESSAGES, bytes(readReport)),
  text('bounce message in free text', [FREE_TEXT, FREE_HTML], bytes(readReport)),
  text('header section', ['From: a@acme.test\r\nSubject: x\r\n\r\n'], readHeaders),
  text('header text', ['=?utf-8?q?a?= =?iso-8859-1?B?YQ==?='], decodeHeaderText),
  text('From', ['"Acme, Inc." <hello@acme.test>, b@x.test'], findFromAddress),
  text('rewriting of HTML', ['<p class="x"><a href="https://acme.test/?a=1&amp;b=2" id=y>x</a></p>'], (html) =>
    rewriteHtml(html, TRACKING, { charset: 'utf-8' }),
  ),
  text(
    'rewriting of a message',
    [HTML_MESSAGE],
    bytes((message) => rewriteMessage(message, TRACKING)),
  ),
  text('token of a link', [tokens.sign({ ...TRACKING, kind: 'click', target: 'https://acme.test/' })], (token) =>
    tokens.open('click', token),
  ),
  text('return path', ['bounce+abc@bounces.acme.test', 'b=abc=x@bounces.acme.test'], (address) => [
    findInAddress(address),
    findFullReference(address),
    namesAbove(address),
    createReferences(createSigner(Buffer.alloc(32, 2), 'growth')),
  ]),
  text('SPF record', [SPF], judgeSpfText),
  text('DKIM record', [DKIM], (record) => [
    judgeDkim(record, readWantedDkim(DKIM), 's1.acme.test'),
    judgeDkim(record, readWantedDkim('v=DKIM1'), 's1.acme.test'),
  ]),
  text('DMARC record', [DMARC], (record) => [isDmarcRecord(record), readDmarcRecord(record)]),
  text('tag list', ['v=DKIM1; k=rsa'], readTagList),
  text('damaged record', [`“${SPF}”`], repairText),
  text('MX record', ['10 mx.example.org'], (value) => exchangesOf({ kind: 'records', values: [value] })),
  text('printable text', ['abc'], printable),
  {
    name: 'DNS message',
    inputs: [wireInput, pointerInput, chainInput],
    parse: (message) => parseMessage(message as Buffer),
  },
  text('domain name', ['mail.example.co.uk', 'xn--bcher-kva.example'], (name) => [
    normalizeDomainName(name),
    organizationalDomain(name),
    parseDomainName(name),
  ]),
  text('IP address', ['192.0.2.1', '2001:db8::1'], readIpAddress),
  text('ingest body', [`[${JSON.stringify(EVENT)}]`, `${JSON.stringify(EVENT)}\n`], bytes(splitRecords)),
  text('rejected record', [JSON.stringify(EVENT)], bytes(toRawRecord)),
  text(
    'JSON value',
    [JSON.stringify(EVENT)],
    bytes((json) => [scanJsonValue(json, 0), tallyJson(json)]),
  ),
  text(
    'imported JSON',
    [JSON.stringify(EVENT)],
    bytes((json) => readInChunks(new JsonSplitter(), json)),
  ),
  text(
    'lines of a file',
    ['a\nb\n'],
    bytes((file) => {
      const splitter = new LineSplitter()
      const lines = chunksOf(file).map((chunk) => splitter.push(chunk))
      return [lines, splitter.finish(), toNdjson([file])]
    }),
  ),
  text('format of an import', ['d,2026'], (line) => suggestFormat(line.split('\n', 100))),
  {
    name: 'CSV export',
    inputs: stretchedFields({ subject: '', response_content: '' }),
    parse: (event) =>
      csvFile('service_message_id').toText([JSON.stringify({ ...EVENT, ...(event as object) })] as never),
  },
  text(
    'bounce class',
    ['550 5.1.1 <ada@example.org>: Recipient address rejected: user unknown (mailbox full)'],
    (reply) => knowledge.classify({ code: 550, enhancedCode: '5.0.0', text: reply }),
  ),
  text('provider', ['alt1.gmail-smtp-in.l.google.com'], knowledge.findProvider),
  text('user agent', ['Mozilla/5.0 (X11; Linux) bot'], (agent) =>
    findMachine({ method: 'GET', headers: { 'user-agent': agent, purpose: agent }, ageMs: 10_000 }),
  ),
  text('search text', ['Straße'], foldCase),
  text('mask of a reply', ['550-5.7.1 [192.0.2.1] a1:b-2.c', '* * ', '....x'], maskReply),
]

/** As a file arrives. */
function chunksOf(file: Buffer): readonly Buffer[] {
  return Array.from({ length: Math.ceil(file.length / CHUNK_BYTES) }, (_, index) =>
    file.subarray(CHUNK_BYTES * index, CHUNK_BYTES * (index + 1)),
  )
}

function readInChunks(splitter: JsonSplitter, file: Buffer): unknown {
  return [chunksOf(file).map((chunk) => splitter.push(chunk)), splitter.end()]
}
