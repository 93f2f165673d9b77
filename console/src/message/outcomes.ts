/** The outcome of a message as a label, a colour and a sentence. */
import type { Message } from '../../../src/http/v1/log/messages.wire.ts'
import { formatDuration } from '../kit/text/format.ts'

interface OutcomeWords {
  readonly label: string
  readonly tone: 'slate' | 'amber' | 'green' | 'red' | 'violet' | 'grey'
  readonly sentence: (message: Message) => string
}

export const OUTCOMES: Readonly<Record<Message['outcome'], OutcomeWords>> = {
  received: {
    label: 'Received',
    tone: 'slate',
    sentence: () => 'Accepted for sending. No delivery attempt has been reported yet.',
  },
  deferred: {
    label: 'Deferred',
    tone: 'amber',
    sentence: (message) => `${countAttempts(message)} failed temporarily. It will be retried automatically.`,
  },
  delivered: {
    label: 'Delivered',
    tone: 'green',
    sentence: (message) => `Accepted by the recipient’s server${after(message, 'Delivery')}.`,
  },
  bounced: {
    label: 'Bounced',
    tone: 'red',
    sentence: (message) => `Permanently failed${after(message, 'Bounce')}. It will not be retried.`,
  },
  complained: {
    label: 'Complaint',
    tone: 'violet',
    sentence: () => 'Delivered, then reported as spam by the recipient.',
  },
  mixed: {
    label: 'Mixed',
    tone: 'grey',
    sentence: () => 'The outcome differs between recipients. See the events below.',
  },
}

function countAttempts({ events }: Message): string {
  const attempts = Math.max(0, ...events.map(({ attempt }) => attempt ?? 0))
  return attempts === 1 ? 'The first attempt' : attempts === 0 ? 'Delivery' : `${attempts} attempts`
}

function after({ events }: Message, type: 'Delivery' | 'Bounce'): string {
  const [first] = events
  const end = events.find((event) => event.type === type)
  if (!first || !end || end === first) return ''
  const attempt = end.attempt ?? 1
  const seconds = end.timestamp - first.timestamp
  const delay = seconds === 0 ? 'within a second' : `after ${formatDuration(seconds * 1000)}`
  return attempt > 1 ? ` at attempt ${attempt}, ${delay}` : ` ${delay}`
}
