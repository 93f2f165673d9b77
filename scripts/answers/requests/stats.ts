/** GET /domain/stats and GET /v1/stats/series. */
import type { Tour } from './tour.ts'

const GROUPS = 'group={type,provider,classification,domain}'

export async function askStats({ recorder }: Tour): Promise<void> {
  await recorder.askTable(`
acme GET /v1/stats/series
  - ${GROUPS}&bucket={hour,day} ${GROUPS}&bucket=day&from=2025-03-01 ${GROUPS}&bucket=day&from=2025-05-10&to=2025-05-18
  ${GROUPS}&from=2025-05-20T10:30:00Z&to=2025-05-20T12:10:00Z
  ${GROUPS}&{domain=acme.test,type=Bounce&type=Delivery,provider=Gmail,classification=SpamBlock&limit=1}
  limit={1,2,1000,5000,0,x} group=nonsense bucket={week,} from=2025-05-20&to=2025-05-19 from={1970-01-01,x}
  domain={bolt.test,nowhere.test} domain=b%C3%BCcher.test&bucket=day type=nonsense group=type&group=domain
acme {HEAD,POST} /v1/stats/series
acme GET /domain/stats - x=1 x=%zz
acme {HEAD,POST} /domain/stats
acme GET {/domain/stats/,/domain}
* GET /domain/stats
* GET /v1/stats/series bucket={day,x}
`)
}
