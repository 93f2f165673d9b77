/** What has changed: failures that are more frequent than usual, worst first, in words. Each links to its events in the log. */
import { Link } from 'wouter'
import type { Finding, Insights } from '../../../src/http/v1/statistics/insights.wire.ts'
import { Button } from '../kit/button.tsx'
import { Icon } from '../kit/marks/icon.tsx'
import { formatCount, formatExact, formatPercent } from '../kit/text/format.ts'
import { printable } from '../kit/text/printable.ts'
import {
  describeBriefly,
  describeComparison,
  describeTime,
  describeUsual,
  nounOf,
  placeOf,
  replyOf,
  subjectOf,
  toneOf,
} from './finding-text.ts'
import type { ShownInsights } from './use-insights.ts'

/** The others are a number. */
const SHOWN_DOMAINS = 5

export function Findings({ shown }: { readonly shown: ShownInsights }) {
  const { insights, news, show, hasFailed } = shown
  const isQuiet = !insights || insights.findings.length === 0
  return (
    <section className="stack section findings" aria-label="What changed" aria-busy={!insights && !news && !hasFailed}>
      <h2>What changed</h2>
      {!isQuiet && <List insights={insights} />}
      <p className={`row wrap muted finding-note ${isQuiet ? 'box' : 'small'}`}>
        {insights && <Note insights={insights} />}
        {/* The page's other parts say why nothing can be loaded. */}
        {hasFailed && 'Could not be determined.'}
        {news && (
          <Button look="quiet" className="finding-news" onClick={show}>
            <News findings={news.findings} />
          </Button>
        )}
      </p>
    </section>
  )
}

/** Names the worst one: nobody has to open the others to learn whether they matter. */
function News({ findings }: Pick<Insights, 'findings'>) {
  const [worst] = findings
  if (!worst) return 'No longer unusual: update'
  return (
    <span>
      Show {formatCount(findings.length)} {findings.length === 1 ? 'finding' : 'findings'}:{' '}
      <bdi className={`toned tone-${toneOf(worst.figure)}`}>{printable(describeBriefly(worst))}</bdi>
    </span>
  )
}

function Note({ insights: { findings, omitted, comparison, isComplete } }: { readonly insights: Insights }) {
  const note = describeComparison(comparison)
  return (
    <span className="row">
      {findings.length === 0 && isComplete && <Icon name="check" />}
      <span>
        {describePeriod(findings.length, isComplete)} the last 24 hours{note}.
        {omitted > 0 && ` ${formatCount(omitted)} more, less severe.`}
        {!isComplete && ' Not all providers and addresses could be examined.'}
      </span>
    </span>
  )
}

function describePeriod(findings: number, isComplete: boolean): string {
  if (findings > 0) return 'Failures of'
  return isComplete ? 'Nothing unusual in' : 'Nothing unusual was found in'
}

function List({ insights: { findings, comparison } }: { readonly insights: Insights }) {
  return (
    <ol className="stack gap-12 findings-list">
      {findings.map((finding) => (
        <FindingItem key={finding.query} finding={finding} usual={describeUsual(finding, comparison)} />
      ))}
    </ol>
  )
}

function FindingItem({ finding, usual }: { readonly finding: Finding; readonly usual: string }) {
  const { figure, address, count, since, share, domains, addresses, query } = finding
  const reply = replyOf(finding)
  const hidden = domains.count - Math.min(domains.largest.length, SHOWN_DOMAINS)
  return (
    <li className={`box stack gap-4 finding tone-${toneOf(figure)}`}>
      <Link href={`/log?${query}`} className="in-text finding-title">
        <bdi className="medium">{printable(subjectOf(finding))}</bdi>: <b className="toned">{formatCount(count)}</b>{' '}
        {nounOf(figure, count)} <span title={formatExact(Date.parse(since))}>{describeTime(finding)}</span>
        {address !== null && (
          <>
            {' '}
            at <bdi>{printable(placeOf(finding))}</bdi>
          </>
        )}
      </Link>
      {reply !== '' && (
        <p className="mono small foreign finding-reply">
          {finding.text ? (
            <Link
              className="in-text"
              href={`/log?${withParam(query, 'reply', finding.text)}`}
              title="Show events with this response"
            >
              {printable(reply)}
            </Link>
          ) : (
            printable(reply)
          )}
        </p>
      )}
      <p className="row wrap muted small finding-facts">
        {usual !== '' && <span>{usual}</span>}
        <span>{formatPercent(share)} of all mail in this time</span>
        <span>
          {domains.largest.slice(0, SHOWN_DOMAINS).map(({ value, count: ofDomain }, index) => (
            <span key={value}>
              {index > 0 && ', '}
              <Link
                className="in-text"
                href={`/log?${withParam(query, 'domain', value)}`}
                title={`${formatCount(ofDomain)} events`}
              >
                <bdi>{value}</bdi>
              </Link>
            </span>
          ))}
          {hidden > 0 && ` and ${formatCount(hidden)} more domains`}
        </span>
        {address === null && addresses.length > 0 && <span>from {addresses.map(({ value }) => value).join(', ')}</span>}
      </p>
    </li>
  )
}

function withParam(query: string, name: 'domain' | 'reply', value: string): string {
  const params = new URLSearchParams(query)
  params.set(name, value)
  return String(params)
}
