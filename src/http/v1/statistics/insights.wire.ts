/** GET /v1/insights: what has changed. */
import { EVENT_TYPES } from '../../../events/event.ts'
import * as t from '../../../lib/json-schema.ts'
import { FAILURE_FIGURES } from '../../../stats/findings/kind-counts.ts'
import { EventFilterParameters } from '../log/event-filters.wire.ts'
import { AnyEventsQuery } from '../log/events.wire.ts'

const { domain } = EventFilterParameters.properties
const { tenant, domain: anyDomain } = AnyEventsQuery.properties

export const InsightsQuery = t.object({ domain })
/** For the operator. */
export const AnyInsightsQuery = t.object({ tenant, domain: anyDomain })

const share = (description: string) => t.raw<number>({ type: 'number', minimum: 0, maximum: 1 }, description)
const counted = (what: string, description: string) =>
  t.list(t.object({ value: t.text(what), count: t.count() }), description)

export const FindingSchema = t.named('Finding', 'Failures that are more frequent than usual.', {
  sentence: t.text('The finding in words, with times in UTC.'),
  figure: t.oneOf(FAILURE_FIGURES, 'What is more frequent, as in `GET /v1/stats/figures`.'),
  types: t.list(t.oneOf(EVENT_TYPES), 'The event types that the figure counts.'),
  address: t.orNull(
    'string',
    'The sending address whose mail fails, if the other addresses have no such failures. Null: the finding is about the provider, or ' +
      'sending addresses are not shown.',
  ),
  provider: t.orNull(
    'string',
    'The receiving provider; empty for events without one. Null: several providers, none of which stands out.',
  ),
  providers: t.optional(t.count('Number of providers, if there are several.')),
  classification: t.orNull(
    'string',
    'The bounce classification; empty for events without one. Null: whatever it is, in a finding about an address.',
  ),
  code: t.orNull('integer', 'The response code of most of the examined events; null if there is no such code.'),
  text: t.orNull(
    'string',
    'The reply of most of the examined events, with its variable parts masked as `*`; null if there is no such reply.',
  ),
  since: t.time('Start of the hour in which it began.'),
  until: t.orNull('string', 'End of the last hour of it; null while it lasts.', { format: 'date-time' }),
  count: t.count('Events in this time.'),
  usual: t.raw<number>({ type: 'number', minimum: 0 }, 'Events that were to be expected in this time.'),
  isNew: t.flag(
    'Whether the provider or the sending address had no mail in the hours that were compared with. `usual` is then what a share of failures ' +
      'that is common at any provider would be, not an earlier count.',
  ),
  share: share('`count` as a part of all mail in this time, relative to what the share of the figure is relative to.'),
  providerShare: share("The same of the provider's mail, or of the address's in a finding about one."),
  domains: t.object({
    count: t.count('Number of sender domains that have such events.'),
    largest: counted('A domain.', 'Up to 10 of them, those with the most events first.'),
  }),
  addresses: counted(
    'An IP address.',
    'Up to 10 sending addresses of the examined events, see `replies`, with their number among those, the largest first. In a finding ' +
      'about an address: it alone, with all its events. Empty if they are not known or not shown.',
  ),
  replies: t.object(
    {
      examined: t.count('Events whose replies were counted: the newest ones.'),
      isComplete: t.flag('Whether these are all events of the finding.'),
      unlisted: t.count('Examined events with other replies.'),
      listed: t.list(
        t.object({
          code: t.orNull('integer', 'The response code.'),
          text: t.text('The masked reply; empty for events without one.'),
          count: t.count(),
        }),
        'Most frequent first.',
      ),
    },
    'What receiving servers replied. Empty if the key lacks the scope `logs`.',
  ),
  query: t.text('Parameters that list these events with `GET /v1/events`, and in the log of the console.'),
})
export type Finding = t.Static<typeof FindingSchema>

export const InsightsSchema = t.named('Insights', 'What has changed.', {
  from: t.time('Start of the window.'),
  to: t.time('End of the window, exclusive: the end of the current hour.'),
  comparison: t.object(
    {
      basis: t.oneOf(
        ['weeks', 'hours', 'none'],
        '`weeks`: the same hours of earlier weeks. `hours`: the average of the hours before the window, because there is no mail of ' +
          'earlier weeks. `none`: there is no earlier mail; only high shares are findings.',
      ),
      weeks: t.count('Number of earlier weeks.'),
      hours: t.count('Number of hours before the window.'),
    },
    'What the window was compared with.',
  ),
  findings: t.list(t.ref(FindingSchema), 'Worst first. Empty if nothing is unusual.'),
  omitted: t.count('Number of further findings, less severe than those listed.'),
  isComplete: t.flag('False if there were too many providers, classes and addresses to examine all of them.'),
})
export type Insights = t.Static<typeof InsightsSchema>
