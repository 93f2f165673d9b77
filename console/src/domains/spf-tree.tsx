/** The SPF policy as receivers evaluate it: nested includes, and the DNS lookups they cost. */
import type { SpfTreeReport } from '../../../src/http/v1/domains/spf-tree.wire.ts'
import { printable } from '../kit/text/printable.ts'
import { Ago } from '../kit/text/time.tsx'

type SpfPolicy = SpfTreeReport['policy']
type SpfTerm = SpfPolicy['terms'][number]

export function SpfTree({ tree }: { readonly tree: SpfTreeReport }) {
  const { lookups, lookupsMax, isComplete, policy, checkedAt } = tree
  const isOver = lookups > lookupsMax
  return (
    <section className="stack section" aria-label="SPF policy">
      <h2>
        SPF policy
        <span className="muted">
          {isComplete ? '' : 'at least '}
          {lookups} of {lookupsMax} lookups · read <Ago at={checkedAt} />
        </span>
      </h2>
      <div
        className={`meter tone-${isOver ? 'red' : lookups > lookupsMax - 3 ? 'amber' : 'green'}`}
        role="meter"
        aria-label="DNS lookups"
        aria-valuemin={0}
        aria-valuemax={lookupsMax}
        aria-valuenow={Math.min(lookups, lookupsMax)}
        aria-valuetext={`${lookups} of ${lookupsMax}`}
      >
        {Array.from({ length: lookupsMax }, (_, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the segments are all alike and never reordered
          <i key={index} data-used={index < lookups} />
        ))}
      </div>
      <div className="box small spf">
        <Policy policy={policy} />
      </div>
    </section>
  )
}

function Policy({ policy }: { readonly policy: SpfPolicy }) {
  return (
    <>
      <p className="foreign">
        <strong>{printable(policy.domain)}</strong>
        {policy.kind !== 'record' && <span className="toned tone-red spf-note"> {describeKind(policy)}</span>}
      </p>
      {policy.terms.length > 0 && (
        <ul className="spf-terms">
          {policy.terms.map((term, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: terms may be repeated, and are never reordered
            <li key={index} data-unreachable={term.behind !== undefined}>
              <Term term={term} />
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

function Term({ term }: { readonly term: SpfTerm }) {
  return (
    <>
      <code className="foreign">{printable(term.text)}</code>
      {term.lookup !== undefined && <span className="muted spf-note">lookup {term.lookup}</span>}
      {term.behind !== undefined && (
        <span className="muted spf-note">never reached: after {printable(term.behind)}</span>
      )}
      {term.voidFor !== undefined && <span className="toned tone-red spf-note">no records found</span>}
      {term.problem !== undefined && <span className="toned tone-red spf-note">{readable(term.problem.kind)}</span>}
      {term.policy && <Policy policy={term.policy} />}
    </>
  )
}

function describeKind({ kind, reason }: SpfPolicy): string {
  return reason === undefined ? readable(kind) : `${readable(kind)}: ${printable(reason)}`
}

function readable(code: string): string {
  return code.replaceAll('_', ' ')
}
