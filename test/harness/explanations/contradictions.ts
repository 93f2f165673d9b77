/** Finds where an explanation contradicts the event that it explains. */
import { BOUNCE_CLASSES, type BounceClass } from '../../../src/classification/bounce-classes.ts'
import { createBounceClassifier } from '../../../src/classification/classify-bounce.ts'
import type { Actor } from '../../../src/classification/meaning/failure-meanings.ts'

export interface ExplainedEvent {
  readonly type: string
  readonly response_code?: number
  readonly response_enhanced_code?: string
  readonly response_content?: string
  readonly bounce_classification?: string
}

const classify = createBounceClassifier()

/** Words of an explanation, and the classes of which one has to be the event's own, or what its reply says. */
const CLAIMS: readonly { readonly words: RegExp; readonly classes: readonly BounceClass[] }[] = [
  {
    words: /address does not exist(?!,)|correct the address/,
    classes: ['InvalidRecipient', 'InactiveMailbox', 'BadDomain'],
  },
  { words: /disabled|no longer in use/, classes: ['InactiveMailbox', 'InvalidRecipient'] },
  { words: /remove (?:it|the address)/, classes: ['InvalidRecipient', 'InactiveMailbox', 'BadDomain', 'Unsubscribe'] },
  { words: /mailbox is full/, classes: ['QuotaIssues'] },
  { words: /recipient's domain does/, classes: ['BadDomain'] },
  { words: /spam\b/, classes: ['SpamBlock', 'SpamContent', 'SpamRelated'] },
  { words: /reputation|blocklists/, classes: ['SpamBlock'] },
  { words: /SPF|DKIM|DMARC/, classes: ['AuthenticationFailed'] },
  { words: /sign-in/, classes: ['AuthenticationFailed'] },
  { words: /TLS/, classes: ['PolicyRelated', 'AuthenticationFailed'] },
  { words: /reverse DNS/, classes: ['BadConfiguration', 'PolicyRelated', 'AuthenticationFailed'] },
  { words: /greylisting|amount of mail/, classes: ['PolicyRelated', 'TransientFailure'] },
  { words: /sender address/, classes: ['InvalidSender'] },
  { words: /virus/, classes: ['VirusRelated'] },
  { words: /attachments or content/, classes: ['ProhibitedAttachment'] },
  { words: /size|larger|smaller|change the message/, classes: ['ContentRelated'] },
  {
    words: /connection to the receiving|did not answer|not be reached/,
    classes: ['BadConnection', 'NoAnswerFromHost'],
  },
  { words: /retry period/, classes: ['MessageExpired'] },
  { words: /loop|no working route/, classes: ['RoutingErrors'] },
  { words: /DNS lookup/, classes: ['DNSFailure'] },
]

function isKnownClass(name: string): boolean {
  return Object.hasOwn(BOUNCE_CLASSES, name) && name !== 'Uncategorized'
}

const SUBJECT_OF_ACTOR: Readonly<Record<Exclude<Actor, 'nobody'>, RegExp>> = {
  sender: /The sender (?:should|can) /,
  operator: /The operator should /,
  receiver: /The (?:receiver|recipient) has to /,
}

/** One line per contradiction. */
export function findContradictions(event: ExplainedEvent, text: string, actor: Actor): readonly string[] {
  return [...findWrongOutlook(event, text), ...findWrongActor(text, actor), ...findWrongReason(event, text)]
}

function findWrongOutlook({ type }: ExplainedEvent, text: string): readonly string[] {
  const isPermanent = type === 'Bounce' || type === 'OOBBounce'
  const isTemporary = type === 'TransientFailure' || type === 'Delayed'
  const found: string[] = []
  if (isPermanent && /retried|next attempt|at the moment|for some minutes|\byet\b|greylist/i.test(text))
    found.push('permanent, and there will be another attempt')
  if (isTemporary && !/will be retried automatically|waiting for the next attempt/.test(text))
    found.push('temporary, and no other attempt is mentioned')
  if (isTemporary && /permanently|gave up|send the message again|remove (?:it|the address)|no longer/i.test(text))
    found.push('temporary, and it is final')
  return found
}

function findWrongActor(text: string, actor: Actor): readonly string[] {
  const named = Object.entries(SUBJECT_OF_ACTOR).filter(([, subject]) => subject.test(text))
  const names = named.map(([name]) => name).join(', ') || 'nobody'
  return names === actor ? [] : [`actor is ${actor}, the advice is for ${names}`]
}

function findWrongReason(event: ExplainedEvent, text: string): readonly string[] {
  const { response_code: code, response_enhanced_code: enhancedCode, response_content: words } = event
  const given = event.bounce_classification ?? ''
  const read = classify({ code, enhancedCode, text: words })
  const reason = text.slice(text.indexOf(':') + 1)
  const supported = (classes: readonly string[]) =>
    classes.includes(given) || (!isKnownClass(given) && classes.includes(read))
  const found = CLAIMS.filter((claim) => claim.words.test(reason) && !isClaimOfType(event, claim.words))
    .filter(({ classes }) => !supported(classes))
    .map((claim) => `says ${claim.words.source}, but the class is ${given || 'absent'} and the reply says ${read}`)
  // The text on its own, whatever the class is: an address is never blamed against it.
  const byCodes = classify({ code, enhancedCode })
  const blame = BOUNCE_CLASSES[read as BounceClass]
  const isBlamed = /address does not exist(?!,)|disabled|no longer in use|mailbox is full|recipient's domain does/.test(
    reason,
  )
  if (isBlamed && words && !['recipient', 'unknown'].includes(blame) && read !== byCodes)
    found.push(`blames the recipient, but the text says ${read}`)
  return found
}

/** What three digits alone mean (RFC 5321; 454 is that of RFC 3207 and RFC 4954). */
const SAID_BY_CODE: Readonly<Record<number, string>> = { 400: 'not be reached', 454: 'TLS' }

/** A complaint is about spam whatever the class; three digits without any text or class may be explained by themselves. */
function isClaimOfType(
  { type, response_code, response_content, bounce_classification }: ExplainedEvent,
  words: RegExp,
) {
  if (type === 'Feedback') return true
  const isBare = !response_content && !isKnownClass(bounce_classification ?? '')
  return isBare && words.test(SAID_BY_CODE[response_code ?? 0] ?? '')
}
