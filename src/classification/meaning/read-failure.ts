/**
 * Reads a failure from its class, its codes and its text together. If they contradict each other, the meaning is what they have in
 * common, or unknown: a wrong explanation next to the evidence is worse than none.
 */
import { BOUNCE_CLASSES, type BounceClass, UNCATEGORIZED } from '../bounce-classes.ts'
import { createBounceClassifier } from '../classify-bounce.ts'
import { FINER_MEANINGS, MEANING_OF_CLASS, MEANING_OF_CODE, type Meaning } from './failure-meanings.ts'

export interface ToldFailure {
  readonly code?: number | undefined
  readonly enhancedCode?: string | undefined
  readonly text?: string | undefined
  /** The class that the event has, perhaps a label of the operator's own. */
  readonly class?: string | undefined
}

type KnownClass = Exclude<BounceClass, typeof UNCATEGORIZED>

/** The built-in rules only: what the words say, whatever an operator calls it. */
const classify = createBounceClassifier()

/** Undefined if nothing is known, or if the parts contradict each other. */
export function readFailure(failure: ToldFailure): Meaning | undefined {
  const given = toKnownClass(failure.class)
  const read = readEvidence(failure)
  const name = given && read ? findCommon(given, read) : (given ?? read?.name)
  if (name !== undefined) return refine(name, failure, given ?? name)
  // The parts contradict each other, or we do not know the text, which is not a reason to trust the three digits.
  if (given || read || failure.text) return undefined
  return failure.code === undefined ? undefined : MEANING_OF_CODE[failure.code]
}

function toKnownClass(name: string | undefined): KnownClass | undefined {
  // Operators can define classes of their own, with names such as "constructor".
  return name !== undefined && name !== UNCATEGORIZED && Object.hasOwn(BOUNCE_CLASSES, name)
    ? (name as KnownClass)
    : undefined
}

interface Evidence {
  readonly name: KnownClass
  /** From a code that servers use for many things. */
  readonly isVague: boolean
}

/** Enhanced codes of these classes are used as a default. */
const VAGUE: readonly string[] = ['PolicyRelated', 'ProtocolErrors', 'BadConfiguration', 'TransientFailure']

/** What the text says, or else the enhanced code. Of the three digits alone, only that they ask for another attempt. */
function readEvidence({ code, enhancedCode, text }: ToldFailure): Evidence | undefined {
  const byDigits = classify({ code })
  const byCodes = classify({ code, enhancedCode })
  const byAll = classify({ code, enhancedCode, text })
  const isTold = byAll !== byDigits || byAll === classify({ enhancedCode, text }) || (isLater(byAll) && Boolean(text))
  const name = isTold ? toKnownClass(byAll) : undefined
  return name && { name, isVague: byAll === byCodes && VAGUE.includes(name) }
}

function isLater(name: string): boolean {
  return name === ('TransientFailure' satisfies KnownClass)
}

type MeaningName = KnownClass | keyof typeof FINER_MEANINGS

const COMMON: readonly { readonly of: readonly KnownClass[]; readonly is: MeaningName }[] = [
  { of: ['SpamBlock', 'SpamContent', 'SpamRelated'], is: 'SpamRelated' },
  { of: ['InvalidRecipient', 'InactiveMailbox'], is: 'AddressUnusable' },
  { of: ['BadConnection', 'NoAnswerFromHost'], is: 'Unreachable' },
  { of: ['RelayDenied', 'RelayingIssues'], is: 'RelayDenied' },
]

function findCommon(given: KnownClass, { name, isVague }: Evidence): MeaningName | undefined {
  if (given === name || given === 'MessageExpired') return given
  const blamesRecipient = BOUNCE_CLASSES[given] === 'recipient'
  if (isVague) return blamesRecipient ? undefined : given
  const common = COMMON.find(({ of }) => of.includes(given) && of.includes(name))
  if (common) return common.is
  // A policy or a temporary problem can have any reason but the recipient; it is the less exact of the two.
  const isGeneral = (each: KnownClass) => each === 'PolicyRelated' || each === 'TransientFailure'
  if (BOUNCE_CLASSES[name] === 'recipient' || blamesRecipient) return undefined
  if (isGeneral(given)) return isGeneral(name) ? 'PolicyRelated' : given
  return name === 'TransientFailure' ? given : isGeneral(name) ? name : undefined
}

interface Refinement {
  readonly of: readonly MeaningName[]
  readonly is: keyof typeof FINER_MEANINGS
  readonly text?: RegExp
  readonly detail?: RegExp
  readonly code?: readonly number[]
}

const REFINEMENTS: readonly Refinement[] = [
  {
    of: ['BadConfiguration', 'PolicyRelated', 'AuthenticationFailed'],
    is: 'ReverseDns',
    text: /\bptr\b|reverse dns|\brdns\b|find your (?:reverse )?host ?name/,
    detail: /^7\.25$/,
  },
  { of: ['PolicyRelated', 'TransientFailure'], is: 'Greylisting', text: /gr[ea]y[ -]?list|\bpostgrey\b/ },
  {
    of: ['PolicyRelated', 'AuthenticationFailed'],
    is: 'EncryptionRequired',
    text: /\btls\b.{0,20}\brequired\b|\brequires?\b.{0,60}\btls\b|\bover a tls\b|\bstarttls\b/,
  },
  {
    of: ['PolicyRelated', 'TransientFailure'],
    is: 'Limits',
    text: /too many (?:\w+ ){0,3}(?:connections?|sessions|messages|e-?mails)|too (?:quickly|fast|much (?:e-?)?mail)|rate[ -]?limit|throttl|(?:rate|frequency) limited|at a rate that|excessive volume|\b(?:hourly|daily|relay|receive|sending|thread)\b.{0,20}\blimit|\bper (?:hour|minute|connection)\b/,
    detail: /^7\.28$/,
  },
  {
    of: ['AuthenticationFailed'],
    is: 'SignInRequired',
    text: /authentication (?:is )?required|\bcredentials\b|\blog ?in\b|\bpassword\b/,
    detail: /^7\.8$/,
    code: [530, 534, 535, 538],
  },
  {
    of: ['ContentRelated'],
    is: 'MessageTooLarge',
    text: /too (?:large|big)|\bsize\b.{0,60}\bexceed|exceed.{0,40}\bsize\b|\bsize limit/,
    detail: /^(?:2\.3|3\.4)$/,
  },
  { of: ['RoutingErrors'], is: 'MailLoop', text: /\bloop|\bhops?\b/, detail: /^4\.6$/ },
]

/** RFC 3463 section 3: the second and third number of an enhanced code. */
const DETAIL = /^[245]\.(\d{1,3}\.\d{1,3})$/

/** More exact by the text or the codes, if that is also in line with the class of the event. */
function refine(name: MeaningName, { code, enhancedCode = '', text = '' }: ToldFailure, given: MeaningName): Meaning {
  const words = text.slice(0, 1000).toLowerCase()
  const detail = DETAIL.exec(enhancedCode)?.[1] ?? ''
  const finer = REFINEMENTS.find((refinement) => {
    if (!refinement.of.includes(name) || !refinement.of.includes(given)) return false
    if (refinement.text?.test(words)) return true
    return refinement.detail?.test(detail) || (code !== undefined && refinement.code?.includes(code))
  })
  return toMeaning(finer?.is ?? name)
}

function toMeaning(name: MeaningName): Meaning {
  return Object.hasOwn(FINER_MEANINGS, name)
    ? FINER_MEANINGS[name as keyof typeof FINER_MEANINGS]
    : MEANING_OF_CLASS[name as KnownClass]
}
