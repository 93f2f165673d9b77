/** GET /v1/events, its exports and its stream, GET /v1/messages/{id}. */
import { MAILING_ID, TYPES } from '../traffic.ts'
import { NEEDLES } from './logs.ts'
import { CALLERS, each, pairs, type Tour, targets } from './tour.ts'

const EVENTS = '/v1/events'

const WINDOWS = [
  'from=2025-05-19',
  'to=2025-05-19',
  'from=2025-05-17T11:59:55Z&to=2025-05-17T11:59:56Z',
  'from=2025-02-20&to=2025-05-06',
  'from=2025-05-20T12:00:00%2B02:00',
  'from=2025-05-20T09:00:00.500Z&to=2025-05-20T11:30:00.5Z',
  'from=2026-01-01',
] as const

const BAD = [
  'from=yesterday',
  'from=2025-05-20T12:00:00',
  'from=',
  'from=2025-02-30',
  'from=2025-05-20&to=2025-05-19',
  'from=1747742400',
  'type=delivery',
  'type=Delivery&type=nonsense',
  'code=5x',
  'code=xxx',
  'code=600-500',
  'code=1000',
  'limit=0',
  'limit=abc',
  'format=xml',
  'cursor=nonsense',
  'domain=nowhere.test',
  'domain=bolt.test',
  'domain=acme.test&domain=bolt.test',
  `q=${'x'.repeat(1025)}`,
  'q=a&q=b',
  'message_id=a&message_id=b',
  'recipient=%zz',
  Array.from({ length: 101 }, (_, number) => `provider=${number}`).join('&'),
] as const

const FILTERS = [
  ...each('type', TYPES),
  'type=Bounce&type=Delivery',
  'type=&type=Bounce',
  ...each('code', ['250', '4xx', '55X', '400-499', '0', '999', '9xx']),
  'code=250&code=5xx',
  ...each('provider', ['Gmail', 'T-Online "DE"', 'gmail']),
  'provider=Gmail&provider=Outlook',
  ...each('classification', ['SpamBlock', 'QuotaIssues', 'none']),
  ...each('domain', ['acme.test', 'news.acme.test', 'bücher.test', 'ACME.test.', 'idle.test']),
  'domain=acme.test&domain=news.acme.test',
  ...['q', 'recipient', 'sender', 'header_from', 'subject'].flatMap((name) => each(name, NEEDLES)),
  ...each('q', ['message-1', MAILING_ID, 'whole-life']),
  ...each('message_id', ['message-1', 'whole-life', 'unknown', 'same-second-0']),
  ...WINDOWS,
] as const

export async function askEvents(tour: Tour): Promise<void> {
  const { recorder } = tour
  await recorder.askAll('acme', [
    ...targets(EVENTS, ['', ...each('limit', [1, 3, 1000, 1001]), 'limit=2&unknown=1']),
    ...targets(
      EVENTS,
      FILTERS.map((filter) => `${filter}&limit=20`),
    ),
    ...targets(
      EVENTS,
      pairs(['type=Bounce', 'code=5xx', 'provider=Gmail'], ['q=order', 'domain=acme.test', 'subject=x']),
    ),
    ...targets(
      EVENTS,
      pairs(['from=2025-05-10'], ['type=Bounce&code=550', 'q=person1&limit=5', 'recipient=x&limit=5']),
    ),
    ...targets(EVENTS, [
      `message_id=${MAILING_ID}&limit=10`,
      `message_id=${MAILING_ID}&type=Bounce&from=2025-05-16&limit=10`,
    ]),
    ...targets(EVENTS, BAD),
    ...['HEAD', 'POST', 'PUT', 'OPTIONS'].map((method) => `${method} ${EVENTS}`),
  ])
  for (const caller of CALLERS) await recorder.askAll(caller, targets(EVENTS, ['limit=2', 'limit=0']))
  await askPages(tour)
  await askFiles(tour)
  await askMessages(tour)
}

async function askPages({ recorder }: Tour): Promise<void> {
  const follow = async (caller: string, query: string, pages: number, more = '') => {
    let target = `GET ${EVENTS}?${query}`
    for (let page = 0; page < pages; page++) {
      const { next } = await recorder.askJson<{ next: string | null }>(caller, target)
      if (next === null) return
      target = `GET ${EVENTS}?cursor=${next}${more}`
    }
  }
  await follow('acme', 'limit=4', 6, '&limit=4')
  await follow('acme', 'limit=1000', 10, '&limit=1000')
  await follow('acme', 'type=Bounce&type=Click&limit=50', 6, '&type=Bounce&type=Click&limit=50')
  await follow('acme', 'q=order&limit=7', 6, '&limit=7')
  await follow('acme', 'domain=acme.test&limit=100&recipient=x', 4, '&limit=100')
  await follow('acme', 'from=2025-02-20&limit=400', 5, '&limit=400')
  await follow('acme', 'from=2025-05-17T11:59:55Z&to=2025-05-17T11:59:56Z&limit=7', 10, '&limit=7')
  await follow('acme', `message_id=${MAILING_ID}&limit=1000`, 7, '&limit=1000')
  await follow('bolt', 'limit=50', 4, '&limit=50')
  const { next } = await recorder.askJson<{ next: string }>('acme', `GET ${EVENTS}?type=Delivery&limit=2`)
  await recorder.askAll('acme', [
    ...targets(EVENTS, [`cursor=${next}&type=Bounce`, `cursor=${next}&from=2025-05-01`, `cursor=${next}A`]),
    `GET /webhooks/acme.test?next_token=${next}`,
  ])
  await recorder.ask('bolt', `GET ${EVENTS}?cursor=${next}`)
}

async function askFiles({ recorder }: Tour): Promise<void> {
  for (const format of ['csv', 'ndjson']) {
    await recorder.askAll(
      'acme',
      targets(EVENTS, [
        `format=${format}&domain=news.acme.test`,
        `format=${format}&type=Bounce&code=5xx`,
        `format=${format}&from=2025-05-20&limit=1`,
        `format=${format}&q=order`,
        `format=${format}&q=no such text`.replaceAll(' ', '+'),
        `format=${format}&message_id=whole-life`,
        `format=${format}&domain=bolt.test`,
        `format=${format}&from=nonsense`,
      ]),
    )
    await recorder.askAll('bolt', targets(EVENTS, [`format=${format}&from=2025-02-20`]))
    await recorder.askAll('acme-stats', targets(EVENTS, [`format=${format}`]))
  }
}

async function askMessages({ recorder }: Tour): Promise<void> {
  const ids = [
    'whole-life',
    'message-0',
    'message-1',
    'same-second-0',
    'unknown',
    'F2752887-CA88-4048-AFB4-097B7872781B.1',
  ]
  await recorder.askAll('acme', [
    ...ids.map((id) => `GET /v1/messages/${id}`),
    `GET /v1/messages/${MAILING_ID}`,
    ...targets('/v1/messages/whole-life', [
      'domain=acme.test',
      'domain=news.acme.test',
      'domain=bolt.test',
      'domain=x',
    ]),
    ...targets('/v1/messages/whole-life', ['domain=', 'domain=acme.test&domain=news.acme.test']),
    'GET /v1/messages',
    'GET /v1/messages/',
    'GET /v1/messages/a%2Fb',
    'GET /v1/messages/%zz',
    'HEAD /v1/messages/whole-life',
    'DELETE /v1/messages/whole-life',
  ])
  for (const caller of CALLERS) await recorder.askAll(caller, ['GET /v1/messages/message-2'])
}

/** After this nothing may be stored before the stream has been read: it shows what arrives. */
export async function askStream({ recorder, installation, now }: Tour): Promise<void> {
  const STREAM = '/v1/events/stream'
  const first = await recorder.askStream('acme', `GET ${STREAM}`, 1, { note: 'position' })
  const [, position = ''] = /^id: (\S+)/m.exec(first.body.toString()) ?? []
  installation.step()
  const events = Array.from({ length: 6 }, (_, number) => ({
    id: `streamed-${number}`,
    timestamp: now - number,
    type: number % 2 === 0 ? 'Delivery' : 'Bounce',
    domain_name: number < 4 ? 'acme.test' : 'bolt.test',
    recipient: `streamed${number}@example.net`,
  }))
  await recorder.ask('ingest', 'POST /ingest/events', { note: 'streamed', body: JSON.stringify(events) })
  const resumed = await recorder.askStream('acme', `GET ${STREAM}?last_event_id=${position}`, 5)
  const ids = [...resumed.body.toString().matchAll(/^id: (\S+)/gm)].map(([, id = '']) => id)
  const headers = { 'last-event-id': ids[2] ?? '' }
  await recorder.askStream('acme', `GET ${STREAM}`, 3, { note: 'after the second', headers })
  await recorder.askStream('acme', `GET ${STREAM}?type=Bounce&last_event_id=${position}`, 3)
  await recorder.askStream('acme', `GET ${STREAM}?domain=acme.test&recipient=streamed3&last_event_id=${position}`, 2)
  await recorder.askAll(
    'acme',
    targets(STREAM, ['type=nonsense', 'domain=bolt.test', 'last_event_id=nonsense', 'code=x']),
  )
  await recorder.ask('acme', `GET ${STREAM}`, { note: 'bad header', headers: { 'last-event-id': 'nonsense' } })
  await recorder.ask('bolt', `GET ${STREAM}?last_event_id=${position}`, { note: 'of another tenant' })
  await recorder.askAll('acme', [`HEAD ${STREAM}`, `POST ${STREAM}`])
  for (const caller of CALLERS) {
    if (!['acme', 'acme-logs', 'bolt', 'empty'].includes(caller)) await recorder.askAll(caller, targets(STREAM, ['']))
  }
}
