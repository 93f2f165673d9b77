/** Programs that fetch images and follow links without anybody looking, by how they call themselves. One table. */

export interface MachineRule {
  /** What the event is marked with. */
  readonly name: string
  /** Of the header User-Agent. */
  readonly agent: RegExp
}

/** The first that fits counts. */
export const MACHINES: readonly MachineRule[] = [
  // Mail Privacy Protection loads all images of a message once, opened or not, and says no more than this.
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
  // Cubot makes telephones.
  { name: 'crawler', agent: /\b(?:\w*(?<!cu)bot|\w*crawler|\w*spider|\w*scanner)\b|\+https?:\/\//i },
]
