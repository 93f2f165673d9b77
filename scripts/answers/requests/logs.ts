/** GET /webhooks/{domain} and GET /logs/{domain}. */
import { MAILING_ID, TYPES } from '../traffic.ts'
import { CALLERS, each, pairs, type Tour, targets } from './tour.ts'

const LOG = '/webhooks/acme.test'
const DAY = 86_400

export const NEEDLES = [
  'PERSON1',
  'acme',
  'ärger',
  'strasse',
  '100% off_',
  '"',
  '\\',
  'ab',
  'x',
  'σασ',
  '🎉',
  'é',
  'no such text',
  'lorem ipsum lorem',
] as const

/** Names that mean a domain, or none. */
export const DOMAIN_NAMES = [
  'acme.test',
  'ACME.Test.',
  'acme.test..',
  'news.acme.test',
  'bolt.test',
  'nowhere.test',
  'idle.test',
  'b%C3%BCcher.test',
  'xn--bcher-kva.test',
  'XN--BCHER-KVA.test.',
  'sub.acme.test',
  'localhost',
  '%20',
  'a%2Fb',
  '..',
  `${'a'.repeat(64)}.test`,
  `${'a.'.repeat(126)}test`,
] as const

const BAD = [
  'type=delivery',
  'type=',
  'type=Delivery&type=Bounce',
  'limit=0',
  'limit=-1',
  'limit=1e2',
  'limit=0x10',
  'limit=5.0',
  'limit=',
  'limit=1&limit=2',
  'response_code=1000',
  'response_code=-1',
  'response_code=abc',
  'response_code=',
  'start_timestamp=-5',
  'start_timestamp=1747742400000',
  'start_timestamp=20&end_timestamp=10',
  'end_timestamp=now',
  'message_id=',
  'message_id=a&message_id=b',
  `recipient=${'x'.repeat(1025)}`,
  'recipient=a&recipient=b',
  'subject=%zz',
  'subject=%ff',
  'next_token=nonsense',
  'next_token=a&next_token=b',
] as const

export async function askLogs(tour: Tour): Promise<void> {
  await askListing(tour)
  await askPages(tour)
  await askShortForm(tour)
}

async function askListing({ recorder, now }: Tour): Promise<void> {
  const texts = ['recipient', 'sender', 'from', 'subject'].flatMap((name) => each(name, NEEDLES))
  const windows = [
    `start_timestamp=${now - DAY}`,
    `end_timestamp=${now - DAY}`,
    `start_timestamp=${now - 90 * DAY}`,
    `start_timestamp=${now - 3 * DAY - 5}&end_timestamp=${now - 3 * DAY - 5}`,
    `start_timestamp=${now - 21 * DAY}&end_timestamp=${now - 15 * DAY}`,
    `start_timestamp=${now + DAY}`,
    `end_timestamp=${now + 10 * DAY}`,
    'start_timestamp=0&end_timestamp=0',
  ]
  const ids = ['message-0', 'message-1', 'whole-life', 'one-object', MAILING_ID, 'unknown', 'a b', "x'y"]
  await recorder.askAll('acme', [
    ...targets(LOG, [
      '',
      ...each('limit', [1, 2, 7, 1000, 1001, '00005', '99999999999999999999']),
      ...each('type', TYPES),
      ...each('response_code', [0, 250, 421, 550, 999, 123, '-0', '0250']),
      ...texts,
      ...windows,
      ...each('message_id', ids),
      ...pairs(each('type', ['Delivery', 'Bounce']), [...each('subject', NEEDLES.slice(0, 6)), 'limit=3']),
      ...pairs(each('recipient', ['person', 'x']), [...each('response_code', [250, 550]), ...windows.slice(0, 4)]),
      ...pairs(each('sender', ['bounces+1']), each('from', ['grüße', 'hello'])),
      'type=Bounce&recipient=person&sender=bounces&from=hello&subject=o&response_code=550&limit=10',
      'recipient=&sender=&from=&subject=&next_token=',
      'unknown=1&also=2',
      `message_id=message-0&limit=0&type=nonsense&next_token=x`,
      'subject=a+b',
      'subject=a%2Bb',
      'recipient=+tag',
    ]),
    ...targets(LOG, BAD),
    ...DOMAIN_NAMES.flatMap((name) => targets(`/webhooks/${name}`, ['limit=2'])),
    ...targets('/webhooks/nowhere.test', ['limit=0', 'message_id=message-0']),
    ...targets('/webhooks/bolt.test', ['message_id=message-0', 'next_token=x']),
    'GET /webhooks',
    'GET /webhooks/',
    'GET /webhooks/acme.test/',
    'GET /webhooks/acme.test/more',
    `HEAD ${LOG}`,
    'HEAD /webhooks/nowhere.test',
    ...['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'].map((method) => `${method} ${LOG}`),
  ])
  for (const caller of CALLERS) {
    await recorder.askAll(caller, [
      ...targets(LOG, ['limit=1', 'limit=0']),
      ...targets('/webhooks/bolt.test', ['limit=1']),
    ])
  }
}

/** Following the tokens must give the same pages, whatever the tokens look like. */
async function askPages({ recorder, installation, now }: Tour): Promise<void> {
  const follow = async (path: string, query: string, pages: number, more = '') => {
    let target = `GET ${path}?${query}`
    for (let page = 0; page < pages; page++) {
      const { next_token: token } = await recorder.askJson<{ next_token?: string }>('acme', target)
      if (token === undefined) return
      target = `GET ${path}?next_token=${token}${more}`
    }
  }
  await follow(LOG, 'limit=5', 6, '&limit=5')
  await follow(LOG, 'limit=1', 4)
  await follow(LOG, 'limit=1000', 10, '&limit=1000')
  await follow(LOG, 'type=Bounce&limit=40', 5, '&type=Bounce&limit=3')
  await follow(LOG, 'subject=order&limit=2', 5, '&limit=4')
  await follow(LOG, 'recipient=x&limit=10', 5, '&limit=10')
  await follow(LOG, 'response_code=550&limit=30', 5, '&limit=100')
  await follow(LOG, `start_timestamp=${now - 90 * DAY}&limit=300`, 8, '&limit=300')
  await follow(LOG, `start_timestamp=${now - 3 * DAY - 5}&end_timestamp=${now - 3 * DAY - 5}&limit=4`, 10, '&limit=4')
  await follow('/webhooks/news.acme.test', 'limit=20', 4, '&limit=20')
  const first = await recorder.askJson<{ next_token: string }>('acme', `GET ${LOG}?type=Delivery&limit=2`)
  installation.step()
  const token = first.next_token
  await recorder.askAll('acme', [
    `GET ${LOG}?next_token=${token}&type=Bounce`,
    `GET ${LOG}?next_token=${token}&type=Delivery&subject=x`,
    `GET ${LOG}?next_token=${token}&start_timestamp=5`,
    `GET ${LOG}?next_token=${token}A`,
    `GET ${LOG}?next_token=${token.slice(0, -4)}AAAA`,
    `GET /webhooks/news.acme.test?next_token=${token}`,
    `GET /v1/events?cursor=${token}`,
  ])
  await recorder.ask('bolt', `GET ${LOG}?next_token=${token}`)
  await recorder.ask('bolt', `GET /webhooks/bolt.test?next_token=${token}`)
}

async function askShortForm({ recorder }: Tour): Promise<void> {
  await recorder.askAll('acme', [
    ...targets('/logs/acme.test', [
      '',
      ...each('type', TYPES),
      'type=',
      'type=reception',
      'type=Click&type=Bounce',
      'limit=1',
      'type=%zz',
    ]),
    ...DOMAIN_NAMES.flatMap((name) => targets(`/logs/${name}`, ['type=Click'])),
    'GET /logs',
    'GET /logs/',
    'HEAD /logs/acme.test',
    'POST /logs/acme.test',
  ])
  for (const caller of CALLERS) await recorder.askAll(caller, targets('/logs/news.acme.test', ['type=Bounce']))
}
