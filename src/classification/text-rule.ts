/** Writes the built-in rules about texts: a class and its patterns, one per line. */
import type { BounceClass } from './bounce-classes.ts'
import type { BounceRule } from './bounce-rule.ts'

export type OwnRule = BounceRule & { readonly class: BounceClass }

/** A rule for texts that match one of the patterns, one per line, and that have the code, if it is given. */
export function saying(
  bounceClass: BounceClass,
  code?: string,
): (patterns: TemplateStringsArray, ...parts: string[]) => OwnRule {
  return ({ raw }, ...parts) => {
    const text = String.raw({ raw }, ...parts)
      .trim()
      .split(/\s*\n\s*/)
    return { class: bounceClass, text, ...(code !== undefined && { code }) }
  }
}
