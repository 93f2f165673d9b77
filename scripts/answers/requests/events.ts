/** GET /v1/events, its exports and its stream, GET /v1/messages/{id}. */
import { oneOf } from '../request-table.ts'
import { MAILING_ID } from '../traffic.ts'
import { NEEDLES, TYPES } from './logs.ts'
import { askLater, type Tour } from './tour.ts'

const ONE_SECOND = 'from=2025-05-17T11:59:55Z&to=2025-05-17T11:59:56Z'

const LISTING = `
acme GET /v1/events
  - limit={1,3,1000,1001} limit=2&unknown=1
  type=${TYPES}&limit=20 type=Bounce&type=Delivery&limit=20 type=&type=Bounce&limit=20
  code={250,4xx,55X,400-499,0,999,9xx}&limit=20 code=250&code=5xx&limit=20
  provider=${oneOf(['Gmail', 'T-Online "DE"', 'gmail'])}&limit=20 provider=Gmail&provider=Outlook&limit=20
  classification={SpamBlock,QuotaIssues,none}&limit=20
  domain=${oneOf(['acme.test', 'news.acme.test', 'bücher.test', 'ACME.test.', 'idle.test'])}&limit=20
  domain=acme.test&domain=news.acme.test&limit=20
  {q,recipient,sender,header_from,subject}=${oneOf(NEEDLES)}&limit=20 q={message-1,${MAILING_ID},whole-life}&limit=20
  message_id={message-1,whole-life,unknown,same-second-0}&limit=20
  {from,to}=2025-05-19&limit=20 ${ONE_SECOND}&limit=20 from=2025-02-20&to=2025-05-06&limit=20 from=2026-01-01&limit=20
  from=2025-05-20T12:00:00%2B02:00&limit=20 from=2025-05-20T09:00:00.500Z&to=2025-05-20T11:30:00.5Z&limit=20
  {type=Bounce,code=5xx,provider=Gmail}&{q=order,domain=acme.test,subject=x}
  from=2025-05-10&{type=Bounce&code=550,q=person1&limit=5,recipient=x&limit=5}
  message_id=${MAILING_ID}&limit=10 message_id=${MAILING_ID}&type=Bounce&from=2025-05-16&limit=10
acme GET /v1/events
  from={yesterday,2025-05-20T12:00:00,,2025-02-30,1747742400} from=2025-05-20&to=2025-05-19
  type=delivery type=Delivery&type=nonsense code={5x,xxx,600-500,1000} limit={0,abc} format=xml cursor=nonsense
  domain={nowhere.test,bolt.test} domain=acme.test&domain=bolt.test q=${'x'.repeat(1025)} q=a&q=b
  message_id=a&message_id=b recipient=%zz ${Array.from({ length: 101 }, (_, number) => `provider=${number}`).join('&')}
acme {HEAD,POST,PUT,OPTIONS} /v1/events
* GET /v1/events limit={2,0}
`

const PAGES = `
acme GET*6 /v1/events limit=4 &limit=4
acme GET*10 /v1/events limit=1000 &limit=1000
acme GET*6 /v1/events type=Bounce&type=Click&limit=50 &type=Bounce&type=Click&limit=50
acme GET*6 /v1/events q=order&limit=7 &limit=7
acme GET*4 /v1/events domain=acme.test&limit=100&recipient=x &limit=100
acme GET*5 /v1/events from=2025-02-20&limit=400 &limit=400
acme GET*10 /v1/events ${ONE_SECOND}&limit=7 &limit=7
acme GET*7 /v1/events message_id=${MAILING_ID}&limit=1000 &limit=1000
bolt GET*4 /v1/events limit=50 &limit=50
`

const FILES = `
acme GET /v1/events
  format={csv,ndjson}&{domain=news.acme.test,type=Bounce&code=5xx,from=2025-05-20&limit=1,q=order,q=no+such+text}
  format={csv,ndjson}&{message_id=whole-life,domain=bolt.test,from=nonsense}
bolt GET /v1/events format={csv,ndjson}&from=2025-02-20
acme-stats GET /v1/events format={csv,ndjson}
`

const MESSAGES = `
acme GET /v1/messages{,/,/a%2Fb,/%zz}
acme GET /v1/messages/{whole-life,message-0,message-1,same-second-0,unknown,F2752887-CA88-4048-AFB4-097B7872781B.1}
acme GET /v1/messages/${MAILING_ID}
acme GET /v1/messages/whole-life domain={acme.test,news.acme.test,bolt.test,x,} domain=acme.test&domain=news.acme.test
acme {HEAD,DELETE} /v1/messages/whole-life
* GET /v1/messages/message-2
`

export async function askEvents(tour: Tour): Promise<void> {
  await tour.recorder.askTable(LISTING)
  await tour.recorder.askTable(PAGES)
  await askOtherCursors(tour)
  await tour.recorder.askTable(FILES)
  await tour.recorder.askTable(MESSAGES)
}

async function askOtherCursors({ recorder }: Tour): Promise<void> {
  const { next } = await recorder.askJson<{ next: string }>('acme', 'GET /v1/events?type=Delivery&limit=2')
  await recorder.askTable(`
acme GET /v1/events cursor=${next}{&type=Bounce,&from=2025-05-01,A}
acme GET /webhooks/acme.test next_token=${next}
bolt GET /v1/events cursor=${next}
`)
}

/** Nothing else may be stored between the first position and the last stream. */
export async function askStream(tour: Tour): Promise<void> {
  const { recorder, now } = tour
  const stream = 'GET /v1/events/stream'
  const first = await recorder.ask('acme', stream, { note: 'position', frames: 1 })
  const [position] = idsOf(first.body)
  const events = Array.from({ length: 6 }, (_, number) => ({
    id: `streamed-${number}`,
    timestamp: now - number,
    type: number % 2 === 0 ? 'Delivery' : 'Bounce',
    domain_name: number < 4 ? 'acme.test' : 'bolt.test',
    recipient: `streamed${number}@example.net`,
  }))
  await askLater(tour, 'ingest', 'POST /ingest/events', { note: 'streamed', body: events })
  const resumed = await recorder.ask('acme', `${stream}?last_event_id=${position}`, { frames: 5 })
  const headers = { 'last-event-id': idsOf(resumed.body)[2] ?? '' }
  await recorder.ask('acme', stream, { note: 'after the second', headers, frames: 3 })
  await recorder.ask('acme', `${stream}?type=Bounce&last_event_id=${position}`, { frames: 3 })
  const filters = 'domain=acme.test&recipient=streamed3'
  await recorder.ask('acme', `${stream}?${filters}&last_event_id=${position}`, { frames: 2 })
  await recorder.ask('acme', stream, { note: 'bad header', headers: { 'last-event-id': 'nonsense' } })
  await recorder.ask('bolt', `${stream}?last_event_id=${position}`, { note: 'of another tenant' })
  await recorder.askTable(`
acme GET /v1/events/stream type=nonsense domain=bolt.test last_event_id=nonsense code=x
acme {HEAD,POST} /v1/events/stream
{nobody,acme-domains,acme-stats,ingest,admin,both,revoked} GET /v1/events/stream
`)
}

function idsOf(frames: Buffer): readonly string[] {
  return [...frames.toString().matchAll(/^id: (\S+)/gm)].map(([, id = '']) => id)
}
