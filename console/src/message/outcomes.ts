/** Where a message stands, in a word, a colour and a sentence. */
import type { Message } from '../../../src/http/v1/messages.wire.ts'
import { formatDuration } from '../kit/format.ts'

interface OutcomeWords {
  readonly label: string
  readonly tone: 'slate' | 'amber' | 'green' | 'red' | 'violet' | 'grey'
  readonly sentence: (message: Message) => string
}

export const OUTCOMES: Readonly<Record<Message['outcome'], OutcomeWords>> = {
  received: {
    label: 'Received',
    tone: 'slate',
    sentence: () => 'Accepted for sending; no attempt to deliver it is known yet.',
  },
  deferred: {
    label: 'Deferred',
    tone: 'amber',
    sentence: (message) => `${countAttempts(message)} did not get through. It is tried again by itself.`,
  },
  delivered: {
    label: 'Delivered',
    tone: 'green',
    sentence: (message) => `Accepted by the recipient’s server${after(message, 'Delivery')}.`,
  },
  bounced: {
    label: 'Bounced',
    tone: 'red',
    sentence: (message) => `Refused for good${after(message, 'Bounce')}. It is not tried again.`,
  },
  complained: {
    label: 'Complaint',
    tone: 'violet',
    sentence: () => 'Delivered, and reported as spam by its recipient.',
  },
  mixed: {
    label: 'Mixed',
    tone: 'grey',
    sentence: () => 'Not the same for all recipients: the steps below say which.',
  },
}

function countAttempts({ events }: Message): string {
  const attempts = Math.max(0, ...events.map(({ attempt }) => attempt ?? 0))
  return attempts === 1 ? 'The first attempt' : `${attempts} attempts`
}

function after({ events }: Message, type: 'Delivery' | 'Bounce'): string {
  const [first] = events
  const end = events.find((event) => event.type === type)
  if (!first || !end || end === first) return ''
  const attempt = end.attempt ?? 1
  const seconds = end.timestamp - first.timestamp
  const took = seconds === 0 ? 'within a second' : `after ${formatDuration(seconds * 1000)}`
  return attempt > 1 ? ` at attempt ${attempt}, ${took}` : ` ${took}`
}
