/** The tables that fill in what a record leaves open: the class of a failure and the name of a provider. */
import type { BounceRule } from './bounce-rule.ts'
import { type BounceClassifier, createBounceClassifier } from './classify-bounce.ts'
import { createProviderFinder, type ProviderFinder } from './find-provider.ts'
import type { Provider } from './provider.ts'

export interface Knowledge {
  readonly classify: BounceClassifier
  readonly findProvider: ProviderFinder
}

/** The operator's own entries, which take precedence over the built-in ones. */
export interface OwnTables {
  readonly bounceRules?: readonly BounceRule[] | undefined
  readonly providers?: readonly Provider[] | undefined
}

export function createKnowledge({ bounceRules, providers }: OwnTables = {}): Knowledge {
  return { classify: createBounceClassifier(bounceRules), findProvider: createProviderFinder(providers) }
}
