/** The state of one evaluation of check_host(): what it may still ask, and how it ends early (RFC 7208 section 4.6.4). */
import { type IpAddress, withoutIp4Mapping } from './ip-address.ts'
import { isVoid, rememberAnswers, type SpfDns, type SpfDnsAnswer, type SpfRecordType } from './spf-dns.ts'
import type { SpfTerm } from './spf-term.ts'
import { LOOKUPS_MAX, type SpfEvaluationProblem, type SpfQuestion, VOID_LOOKUPS_MAX } from './spf-verdict.ts'

/** A term while it is evaluated, and the domain in whose policy it stands. */
export interface TermInPlace {
  readonly domain: string
  readonly term: SpfTerm
}

/** Ends the evaluation at any depth: these two results pass through every include and redirect. Caught in checkHost alone. */
export class EvaluationStop extends Error {
  readonly result: 'temperror' | 'permerror'
  readonly problem: SpfEvaluationProblem

  constructor(result: 'temperror' | 'permerror', problem: SpfEvaluationProblem) {
    super(problem.kind)
    this.result = result
    this.problem = problem
  }
}

export class Evaluation {
  readonly question: SpfQuestion
  readonly ip: IpAddress
  lookups = 0
  voidLookups = 0
  /** Asks without counting: what belongs to no term, or to one that is counted already. */
  readonly ask: SpfDns
  #voidTerm: TermInPlace | undefined

  constructor(question: SpfQuestion, dns: SpfDns) {
    this.question = question
    this.ip = withoutIp4Mapping(question.ip)
    this.ask = rememberAnswers(dns)
  }

  get addressType(): 'A' | 'AAAA' {
    return this.ip.family === 4 ? 'A' : 'AAAA'
  }

  countLookup({ domain, term }: TermInPlace): void {
    this.lookups++
    if (this.lookups <= LOOKUPS_MAX) return
    throw new EvaluationStop('permerror', { kind: 'too_many_lookups', domain, term: term.text })
  }

  /** The limit on void lookups is one on terms: a term that asks twice in vain counts once. */
  async askFor(place: TermInPlace, name: string, type: SpfRecordType): Promise<SpfDnsAnswer> {
    const answer = await this.ask(name, type)
    if (!isVoid(answer) || this.#voidTerm === place) return answer
    this.#voidTerm = place
    this.voidLookups++
    if (this.voidLookups <= VOID_LOOKUPS_MAX) return answer
    throw new EvaluationStop('permerror', {
      kind: 'too_many_void_lookups',
      domain: place.domain,
      term: place.term.text,
    })
  }
}

/** The values of an answer; section 5: a failure to ask ends the evaluation. */
export function requireValues(name: string, answer: SpfDnsAnswer): readonly string[] {
  if (answer.kind === 'records') return answer.values
  if (isVoid(answer)) return []
  const reason = 'reason' in answer ? answer.reason : ''
  throw new EvaluationStop('temperror', { kind: 'dns', name, reason })
}
