/** Parsers of what a request to the server consists of: headers, parameters, tokens and small bodies. */
import { parse } from 'node:querystring'
import { createCursors } from '../../../src/events/log/cursor.ts'
import { parseSearch } from '../../../src/events/search/parse-search.ts'
import { originOf } from '../../../src/http/access/same-origin.ts'
import { findSessionCookie, HOST_COOKIE, PLAIN_COOKIE } from '../../../src/http/access/session-cookie.ts'
import { parseJsonBody } from '../../../src/http/request/json-body.ts'
import { parseQuery } from '../../../src/http/request/query-parameters.ts'
import { NewKeyBody } from '../../../src/http/v1/administration/keys.wire.ts'
import { EventsQuery } from '../../../src/http/v1/log/events.wire.ts'
import { readToken } from '../../../src/lib/sealing/sealed-token.ts'
import { createSealer } from '../../../src/lib/sealing/sealer.ts'
import { parseApiKey } from '../../../src/tenants/api-key.ts'
import { authenticate } from '../../../src/tenants/authenticate.ts'
import { KeyUses } from '../../../src/tenants/key-uses.ts'
import type { Parser } from './growth.ts'
import { stretchedFields } from './inputs.ts'
import { bytes, text } from './text-parser.ts'

const NOW_MS = Date.UTC(2026, 10, 15)
const sealer = createSealer(Buffer.alloc(32, 1), 'growth')
const NEW_KEY = { name: 'mail', scopes: ['read'], networks: ['10.0.0.0/8'] }
const QUERY = {
  domain: ['acme.test'],
  recipient: 'ada@example.org',
  subject: 'Hello',
  from: '2026-11-15T00:00:00Z',
  limit: '10',
  page_token: 'abc.def',
}

export const REQUEST_PARSERS: readonly Parser[] = [
  { name: 'query parameter', inputs: stretchedFields(QUERY), parse: (query) => parseQuery(EventsQuery, query) },
  text('query', ['domain=acme.test&limit=10&domain='], (query) =>
    parseQuery(EventsQuery, parse(query, '&', '=', { maxKeys: 0 })),
  ),
  text('search', ['anna "your invoice" -type:Opened,Click to:Anna <a@b.test>, mailto:a%40b.test'], parseSearch),
  text(
    'JSON body',
    [JSON.stringify(NEW_KEY)],
    bytes((body) => parseJsonBody(NewKeyBody, body)),
  ),
  {
    name: 'field of a JSON body',
    inputs: stretchedFields(NEW_KEY),
    parse: (body) => parseJsonBody(NewKeyBody, Buffer.from(JSON.stringify(body))),
  },
  {
    name: 'fields of a JSON body',
    inputs: [
      { name: 'as names', build: (part) => Object.fromEntries(part.split(/(?<=[ ,=])/).map((name) => [name, 1])) },
      { name: 'as a list', build: (part) => ({ ...NEW_KEY, networks: part.split(/[ ,]/) }) },
    ],
    parse: (body) => parseJsonBody(NewKeyBody, Buffer.from(JSON.stringify(body))),
  },
  text('Authorization', ['Bearer ek_abc_def'], (header) =>
    authenticate(
      {
        keys: { findKey: async () => undefined },
        uses: new KeyUses({ recordKeyUse: async () => undefined }),
        clock: () => NOW_MS,
      },
      header,
      undefined,
    ),
  ),
  text('API key', ['ek_abc_def'], parseApiKey),
  text('Cookie', [`a=b; ${HOST_COOKIE}=abc.def; ${PLAIN_COOKIE}=abc`], (header) => [
    findSessionCookie(header, 'http'),
    findSessionCookie(header, 'https'),
  ]),
  text('Origin', ['https://envelog.acme.test:8443'], (header) => originOf({ origin: header, host: header })),
  text('session', ['abc.def'], (token) => readToken(sealer, token)),
  text('cursor', ['abc.def'], (token) => createCursors(sealer, () => NOW_MS, 'page_token').read(token, 'acme')),
]
