/** Opens the tokens of pixels and links as the server does: those signed before a rotation of the secret, too. */
import { createTokens, type Tokens } from '../../integrations/haraka/lib/tracking/token.mjs'
import type { Signer } from '../lib/sealing/signer.ts'

/** Links in mailboxes are opened for years, so the earlier secrets are tried as long as they are kept. */
export function createServerTokens(signer: Signer): Pick<Tokens, 'open'> {
  return {
    open(kind, token) {
      for (const { key } of [signer, ...signer.older]) {
        const fields = createTokens(key).open(kind, token)
        if (fields) return fields
      }
      return undefined
    },
  }
}
