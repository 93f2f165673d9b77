/** Detects hits of machines from a single request. Bursts need several requests, see bursts.ts. */

export interface HitRequest {
  readonly method: string
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  /** Time since the message was rewritten. */
  readonly ageMs: number
}

interface MachineRule {
  /** The mark of the event. */
  readonly name: string
  /** Matched against the User-Agent header. */
  readonly agent: RegExp
}

/** Programs that fetch images and follow links without a reader. The first match counts. */
const MACHINES: readonly MachineRule[] = [
  // Mail Privacy Protection loads all images of a message once, opened or not, with exactly this header.
  { name: 'apple-mail-privacy', agent: /^Mozilla\/5\.0$/ },
  { name: 'google-image-proxy', agent: /GoogleImageProxy/i },
  { name: 'yahoo-mail-proxy', agent: /YahooMailProxy/i },
  { name: 'outlook-preview', agent: /Microsoft Office Existence Discovery|OutlookUrlPreview|SkypeUriPreview/i },
  {
    name: 'link-scanner',
    agent:
      /barracuda|proofpoint|mimecast|messagelabs|symantec|forcepoint|trend ?micro|sophos|fortinet|ironport|zscaler|check ?point|bitdefender|kaspersky|safelinks|urldefense|urlscan|phishtank|virustotal|google-safety|googlesecurityscanner/i,
  },
  {
    name: 'link-preview',
    agent:
      /facebookexternalhit|slackbot|twitterbot|telegrambot|whatsapp|discordbot|linkedinbot|skypeuripreview|iframely/i,
  },
  { name: 'headless-browser', agent: /HeadlessChrome|PhantomJS|Puppeteer|Playwright|Selenium|Electron\/.*Headless/i },
  {
    name: 'program',
    agent:
      /^(?:curl|wget|python|go-http-client|java|apache-httpclient|libwww|node|axios|undici|ruby|php|perl|guzzle|http_request|postman)\b|\bpython-(?:requests|urllib)|\baiohttp\b/i,
  },
  // Cubot makes phones.
  { name: 'crawler', agent: /\b(?:\w*(?<!cu)bot|\w*crawler|\w*spider|\w*scanner)\b|\+https?:\/\//i },
]

/** No reader opens a message this soon after it was rewritten. */
const AT_DELIVERY_MS = 2000
const AGENT_LENGTH_MAX = 1000

/** The name of the machine; undefined if the hit may be a person's. */
export function findMachine({ method, headers, ageMs }: HitRequest): string | undefined {
  if (method === 'HEAD') return 'head'
  const agent = text(headers['user-agent']).trim().slice(0, AGENT_LENGTH_MAX)
  if (agent === '') return 'no-user-agent'
  const known = MACHINES.find((machine) => machine.agent.test(agent))
  if (known) return known.name
  if (['purpose', 'sec-purpose', 'x-purpose', 'x-moz'].some((name) => /prefetch|preview/i.test(text(headers[name])))) {
    return 'prefetch'
  }
  return ageMs < AT_DELIVERY_MS ? 'at-delivery' : undefined
}

function text(value: string | readonly string[] | undefined): string {
  return typeof value === 'string' ? value : (value?.join(' ') ?? '')
}
