/** GET /webhooks/{domain} and GET /logs/{domain}. */
import { EVENT_TYPES } from '../../../src/events/event.ts'
import { listOf, oneOf } from '../request-table.ts'
import { DAY, MAILING_ID } from '../traffic.ts'
import type { Tour } from './tour.ts'

export const TYPES = oneOf(EVENT_TYPES)

export const NEEDLES = listOf(`
  PERSON1  acme  ärger  strasse  100% off_  "  \\  ab  x  σασ  🎉  é  no such text  lorem ipsum lorem
`)

/** Names of domains, in every spelling, and texts that are not names of domains. */
export const DOMAIN_NAMES = `{acme.test,ACME.Test.,acme.test..,news.acme.test,bolt.test,nowhere.test,idle.test,\
b%C3%BCcher.test,xn--bcher-kva.test,XN--BCHER-KVA.test.,sub.acme.test,localhost,%20,a%2Fb,..,\
${'a'.repeat(64)}.test,${'a.'.repeat(126)}test}`

export async function askLogs(tour: Tour): Promise<void> {
  await tour.recorder.askTable(listing(tour.now))
  await askPages(tour)
  await tour.recorder.askTable(SHORT_FORM)
}

const listing = (now: number) => `
acme GET /webhooks/acme.test
  - limit={1,2,7,1000,1001,00005,99999999999999999999} type=${TYPES} response_code={0,250,421,550,999,123,-0,0250}
  {recipient,sender,from,subject}=${oneOf(NEEDLES)}
  start_timestamp={${now - DAY},${now - 90 * DAY},${now + DAY}} end_timestamp={${now - DAY},${now + 10 * DAY}}
  start_timestamp=${now - 3 * DAY - 5}&end_timestamp=${now - 3 * DAY - 5} start_timestamp=0&end_timestamp=0
  start_timestamp=${now - 21 * DAY}&end_timestamp=${now - 15 * DAY}
  message_id=${oneOf(['message-0', 'message-1', 'whole-life', 'one-object', MAILING_ID, 'unknown', 'a b', "x'y"])}
  type={Delivery,Bounce}&subject=${oneOf(NEEDLES.slice(0, 6))} type={Delivery,Bounce}&limit=3
  recipient={person,x}&response_code={250,550} recipient={person,x}&start_timestamp={${now - DAY},${now - 90 * DAY}}
  recipient={person,x}&end_timestamp=${now - DAY}
  recipient={person,x}&start_timestamp=${now - 3 * DAY - 5}&end_timestamp=${now - 3 * DAY - 5}
  sender=bounces%2B1&from=${oneOf(['grüße', 'hello'])} unknown=1&also=2 subject=a+b subject=a%2Bb recipient=+tag
  type=Bounce&recipient=person&sender=bounces&from=hello&subject=o&response_code=550&limit=10
  recipient=&sender=&from=&subject=&next_token= message_id=message-0&limit=0&type=nonsense&next_token=x
acme GET /webhooks/acme.test
  type=delivery type= type=Delivery&type=Bounce limit={0,-1,1e2,0x10,5.0,} limit=1&limit=2
  response_code={1000,-1,abc,} start_timestamp={-5,1747742400000} start_timestamp=20&end_timestamp=10
  end_timestamp=now message_id= message_id=a&message_id=b recipient=${'x'.repeat(1025)} recipient=a&recipient=b
  subject={%zz,%ff} next_token=nonsense next_token=a&next_token=b
acme GET /webhooks/${DOMAIN_NAMES} limit=2
acme GET /webhooks/nowhere.test limit=0 message_id=message-0
acme GET /webhooks/bolt.test message_id=message-0 next_token=x
acme GET /webhooks{,/,/acme.test/,/acme.test/more}
acme HEAD /webhooks/{acme.test,nowhere.test}
acme {POST,PUT,DELETE,OPTIONS,PATCH} /webhooks/acme.test
* GET /webhooks/acme.test limit={1,0}
* GET /webhooks/bolt.test limit=1
`

const SHORT_FORM = `
acme GET /logs/acme.test - type=${TYPES} type={,reception,%zz} type=Click&type=Bounce limit=1
acme GET /logs/${DOMAIN_NAMES} type=Click
acme GET /logs{,/}
acme {HEAD,POST} /logs/acme.test
* GET /logs/news.acme.test type=Bounce
`

/** Following the tokens must give the same pages, whatever the tokens look like. */
const pages = (now: number) => `
acme GET*6 /webhooks/acme.test limit=5 &limit=5
acme GET*4 /webhooks/acme.test limit=1
acme GET*10 /webhooks/acme.test limit=1000 &limit=1000
acme GET*5 /webhooks/acme.test type=Bounce&limit=40 &type=Bounce&limit=3
acme GET*5 /webhooks/acme.test subject=order&limit=2 &limit=4
acme GET*5 /webhooks/acme.test recipient=x&limit=10 &limit=10
acme GET*5 /webhooks/acme.test response_code=550&limit=30 &limit=100
acme GET*8 /webhooks/acme.test start_timestamp=${now - 90 * DAY}&limit=300 &limit=300
acme GET*10 /webhooks/acme.test start_timestamp=${now - 3 * DAY - 5}&end_timestamp=${now - 3 * DAY - 5}&limit=4 &limit=4
acme GET*4 /webhooks/news.acme.test limit=20 &limit=20
`

async function askPages({ recorder, installation, now }: Tour): Promise<void> {
  await recorder.askTable(pages(now))
  const { next_token: token } = await recorder.askJson<{ next_token: string }>(
    'acme',
    'GET /webhooks/acme.test?type=Delivery&limit=2',
  )
  installation.step()
  await recorder.askTable(`
acme GET /webhooks/acme.test next_token=${token}&{type=Bounce,type=Delivery&subject=x,start_timestamp=5}
  next_token=${token}A next_token=${token.slice(0, -4)}AAAA
acme GET /webhooks/news.acme.test next_token=${token}
acme GET /v1/events cursor=${token}
bolt GET /webhooks/{acme,bolt}.test next_token=${token}
`)
}
