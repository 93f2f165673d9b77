/** What connectors know beyond their records: classes of failures and names of providers. */
import type { BounceRule } from '../classification/bounce-rule.ts'
import { type BounceClassifier, createBounceClassifier } from '../classification/classify-bounce.ts'
import { createProviderFinder, type ProviderFinder } from '../classification/find-provider.ts'
import type { Provider } from '../classification/provider.ts'

export interface Knowledge {
  readonly classify: BounceClassifier
  readonly findProvider: ProviderFinder
}

/** The operator's own tables, which come before ours. */
export interface OwnTables {
  readonly bounceRules?: readonly BounceRule[] | undefined
  readonly providers?: readonly Provider[] | undefined
}

export function createKnowledge({ bounceRules, providers }: OwnTables = {}): Knowledge {
  return { classify: createBounceClassifier(bounceRules), findProvider: createProviderFinder(providers) }
}
