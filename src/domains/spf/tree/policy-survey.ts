/** Queries all DNS records that a policy depends on, in waves: each wave follows the names found by the one before. */

import { isAsking, type SpfAskingTerm } from '../syntax/spf-term.ts'
import { type SpfPolicy, selectPolicy } from './policy.ts'
import { exchangesOf, type SpfDns, type SpfDnsAnswer, type SpfRecordType } from './spf-dns.ts'
import { EXCHANGES_MAX, TERMS_MAX } from './spf-limits.ts'
import { readStaticTarget } from './static-target.ts'

/** Undefined if the query was not sent. */
export interface PolicySurvey {
  answerTo(name: string, type: SpfRecordType): SpfDnsAnswer | undefined
  /** Parsed once, however many terms lead to it. */
  policyOf(domain: string): SpfPolicy | undefined
}

interface Question {
  readonly name: string
  readonly type: SpfRecordType
}

/** Far more than a policy within the limits needs; bounds the cost of a hostile policy. */
const QUESTIONS_MAX = 250
const TOO_LARGE: SpfPolicy = { kind: 'too_large' }

export async function surveyPolicies(rootDomain: string, dns: SpfDns): Promise<PolicySurvey> {
  const answers = new Map<string, SpfDnsAnswer>()
  const policies = new Map<string, SpfPolicy>()
  let terms = 0
  const read = ({ name, type }: Question, answer: SpfDnsAnswer): void => {
    if (type !== 'TXT') return
    const policy = terms > TERMS_MAX ? TOO_LARGE : selectPolicy(answer)
    if (policy.kind === 'record') terms += policy.record.terms.length
    policies.set(name.toLowerCase(), policy)
  }
  let wave: readonly Question[] = [{ name: rootDomain, type: 'TXT' }]
  while (wave.length > 0) {
    const asked = wave.map(async (question) => ({ question, answer: await dns(question.name, question.type) }))
    const found = await Promise.all(asked)
    for (const { question, answer } of found) {
      answers.set(keyOf(question), answer)
      read(question, answer)
    }
    const raised = found.flatMap(({ question, answer }) =>
      listQuestions(question, answer, policies.get(question.name.toLowerCase()), rootDomain),
    )
    const distinct = [...new Map(raised.map((question) => [keyOf(question), question])).values()]
    wave = distinct.filter((question) => !answers.has(keyOf(question))).slice(0, QUESTIONS_MAX - answers.size)
  }
  return {
    answerTo: (name, type) => answers.get(keyOf({ name, type })),
    policyOf: (domain) => policies.get(domain.toLowerCase()),
  }
}

function keyOf({ name, type }: Question): string {
  return `${type} ${name.toLowerCase()}`
}

/** The queries that follow from an answer. TXT records are queried only as policies. */
function listQuestions(
  { name, type }: Question,
  answer: SpfDnsAnswer,
  policy: SpfPolicy | undefined,
  rootDomain: string,
): readonly Question[] {
  if (type === 'TXT') return policy ? listQuestionsOfPolicy(name, policy, rootDomain) : []
  if (type !== 'MX') return []
  return exchangesOf(answer).slice(0, EXCHANGES_MAX).flatMap(addressQuestions)
}

function listQuestionsOfPolicy(domain: string, policy: SpfPolicy, rootDomain: string): readonly Question[] {
  // Receivers do not evaluate a record with a syntax error.
  if (policy.kind !== 'record' || policy.record.problems.length > 0) return []
  const { terms } = policy.record
  const all = terms.findIndex(({ kind }) => kind === 'all')
  const reachable = all < 0 ? terms : terms.slice(0, all).filter(({ kind }) => kind !== 'redirect')
  return reachable.filter(isAsking).flatMap((term) => {
    const target = readStaticTarget(term, domain, rootDomain)
    return target.kind === 'name' ? questionsOfTerm(term, target.name) : []
  })
}

/** The record type that a term queries at its target, besides addresses. */
export const QUERIED_TYPE = { include: 'TXT', redirect: 'TXT', mx: 'MX', exists: 'A' } as const

function questionsOfTerm({ kind }: SpfAskingTerm, name: string): readonly Question[] {
  // Depends on the client's address.
  if (kind === 'ptr') return []
  return kind === 'a' ? addressQuestions(name) : [{ name, type: QUERIED_TYPE[kind] }]
}

function addressQuestions(name: string): readonly Question[] {
  return (['A', 'AAAA'] as const).map((type) => ({ name, type }))
}
