/** Detects hits of machines from a single request. Bursts need several requests, see bursts.ts. */

export interface HitRequest {
  readonly method: string
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  /** Time since the message was rewritten. */
  readonly ageMs: number
}

/** User agents of programs that fetch images and follow links without a reader, by their mark. The first match counts. */
const MACHINES: Readonly<Record<string, RegExp>> = {
  // Mail Privacy Protection loads all images of a message once, opened or not, with exactly this header.
  'apple-mail-privacy': /^Mozilla\/5\.0$/,
  'google-image-proxy': /GoogleImageProxy/i,
  'yahoo-mail-proxy': /YahooMailProxy/i,
  'outlook-preview': /Microsoft Office Existence Discovery|OutlookUrlPreview|SkypeUriPreview/i,
  'link-scanner':
    /barracuda|proofpoint|mimecast|messagelabs|symantec|forcepoint|trend ?micro|sophos|fortinet|ironport|zscaler|check ?point|bitdefender|kaspersky|safelinks|urldefense|urlscan|phishtank|virustotal|google-safety|googlesecurityscanner/i,
  'link-preview':
    /facebookexternalhit|slackbot|twitterbot|telegrambot|whatsapp|discordbot|linkedinbot|skypeuripreview|iframely/i,
  'headless-browser': /HeadlessChrome|PhantomJS|Puppeteer|Playwright|Selenium|Electron\/.*Headless/i,
  program:
    /^(?:curl|wget|python|go-http-client|java|apache-httpclient|libwww|node|axios|undici|ruby|php|perl|guzzle|http_request|postman)\b|\bpython-(?:requests|urllib)|\baiohttp\b/i,
  // Cubot makes phones.
  crawler: /\b(?:\w*(?<!cu)bot|\w*crawler|\w*spider|\w*scanner)\b|\+https?:\/\//i,
}

/** No reader opens a message this soon after it was rewritten. */
const AT_DELIVERY_MS = 2000
const AGENT_LENGTH_MAX = 1000

/** The name of the machine; undefined if the hit may be a person's. */
export function findMachine({ method, headers, ageMs }: HitRequest): string | undefined {
  if (method === 'HEAD') return 'head'
  const agent = text(headers['user-agent']).trim().slice(0, AGENT_LENGTH_MAX)
  if (agent === '') return 'no-user-agent'
  const known = Object.keys(MACHINES).find((name) => MACHINES[name]?.test(agent))
  if (known !== undefined) return known
  if (['purpose', 'sec-purpose', 'x-purpose', 'x-moz'].some((name) => /prefetch|preview/i.test(text(headers[name])))) {
    return 'prefetch'
  }
  return ageMs < AT_DELIVERY_MS ? 'at-delivery' : undefined
}

function text(value: string | readonly string[] | undefined): string {
  return typeof value === 'string' ? value : (value?.join(' ') ?? '')
}
