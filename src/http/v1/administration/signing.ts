/** /v1/admin/return-paths and /v1/admin/tracking-secret: signed return paths, and the keys for mail servers that sign themselves. */
import { issueReturnPath, verifyReturnPath } from '../../../reports/issue-return-path.ts'
import type { AdministrationDeps } from '../../app-deps.ts'
import { type AddAdminRoute, json } from '../../routes/route.ts'
import {
  ProvenReferenceSchema,
  ReferenceBody,
  ReferenceKeySchema,
  ReturnPathBody,
  ReturnPathSchema,
  TrackingSecretSchema,
} from './signing.wire.ts'

export function addSigning(route: AddAdminRoute, deps: AdministrationDeps): void {
  const { storage, references, returnPathLabel, trackingSigner } = deps

  route('POST /v1/admin/return-paths', {
    operationId: 'makeReturnPath',
    // Mail servers call it for every message.
    audit: 'summed',
    summary: 'Sign a return path',
    description:
      'For one message, so that its bounce messages and feedback reports can be tied to it. Nothing is stored.',
    body: ReturnPathBody,
    answer: json('The reference as return path, as envelope id and as header.', ReturnPathSchema),
    refusals: ['invalid_request', 'domain_not_found'],
    handle: async ({ body }) =>
      issueReturnPath({ references, returnPathLabel, domains: storage.control.domains }, await body()),
  })

  route('POST /v1/admin/return-paths/verify', {
    operationId: 'verifyReturnPath',
    audit: 'summed',
    summary: 'Verify a return path',
    description: 'Returns the message that a signed return path, envelope id or header was made for.',
    body: ReferenceBody,
    answer: json('The message that it was signed for.', ProvenReferenceSchema),
    refusals: ['invalid_request'],
    async handle({ body }) {
      const { text, recipient } = await body()
      return verifyReturnPath(references, text, recipient)
    },
  })

  route('GET /v1/admin/return-paths/key', {
    operationId: 'getReturnPathKey',
    audit: 'each',
    summary: 'Get the key that signs return paths',
    description:
      'For a mail server that makes return paths itself. Anyone who has it can forge bounce messages and complaints of ' +
      'every domain.',
    answer: json('The key.', ReferenceKeySchema),
    handle: () => ({ key: references.key.toString('hex') }),
  })

  route('GET /v1/admin/tracking-secret', {
    operationId: 'getTrackingSecret',
    audit: 'each',
    summary: 'Get the secret that signs pixels and links',
    description:
      'For a mail server that rewrites messages itself. Anyone who has it can forge opens and clicks, and create links that ' +
      'redirect to any address.',
    answer: json('The secret.', TrackingSecretSchema),
    handle: () => ({ secret: trackingSigner.key.toString('base64url') }),
  })
}
