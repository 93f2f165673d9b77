/** POST /v1/admin/return-paths, POST …/verify and GET …/key: signed return paths for mail servers. */
import type { FastifyInstance } from 'fastify'
import { issueReturnPath, verifyReturnPath } from '../../../../reports/issue-return-path.ts'
import type { AdministrationDeps } from '../../../app-deps.ts'
import { jsonResponse, refusals, WITH_SESSION } from '../../../docs/openapi.ts'
import { BODY_REFUSALS, parseJsonBody } from '../../json-body.ts'
import {
  ProvenReferenceSchema,
  ReferenceBody,
  ReferenceKeySchema,
  ReturnPathBody,
  ReturnPathSchema,
} from './return-paths.wire.ts'

const config = { surface: 'v1', access: { operator: 'admin' } } as const

export function addAdminReturnPaths(scope: FastifyInstance, deps: AdministrationDeps): void {
  const { storage, references, returnPathLabel } = deps
  for (const schema of [ReturnPathSchema, ProvenReferenceSchema, ReferenceKeySchema]) scope.addSchema(schema)

  scope.post(
    '/v1/admin/return-paths',
    {
      config,
      schema: {
        operationId: 'makeReturnPath',
        summary: 'Sign a return path',
        description:
          'For one message, so that its bounce messages and feedback reports can be tied to it. Nothing is stored.',
        body: ReturnPathBody,
        response: {
          200: jsonResponse('The reference as return path, as envelope id and as header.', ReturnPathSchema.$id),
          ...refusals(...WITH_SESSION, ...BODY_REFUSALS, 'invalid_request', 'domain_not_found'),
        },
      },
    },
    async (request) =>
      issueReturnPath(
        { references, returnPathLabel, domains: storage.control.domains },
        parseJsonBody(ReturnPathBody, request.body),
      ),
  )

  scope.post(
    '/v1/admin/return-paths/verify',
    {
      config,
      schema: {
        operationId: 'verifyReturnPath',
        summary: 'Verify a return path',
        description: 'Returns the message that a signed return path, envelope id or header was made for.',
        body: ReferenceBody,
        response: {
          200: jsonResponse('It was signed here.', ProvenReferenceSchema.$id),
          ...refusals(...WITH_SESSION, ...BODY_REFUSALS, 'invalid_request'),
        },
      },
    },
    async (request) => {
      const { text, recipient } = parseJsonBody(ReferenceBody, request.body)
      return verifyReturnPath(references, text, recipient)
    },
  )

  scope.get(
    '/v1/admin/return-paths/key',
    {
      config,
      schema: {
        operationId: 'getReturnPathKey',
        summary: 'Get the key that signs return paths',
        description:
          'For a mail server that makes return paths itself. Anyone who has it can forge bounce messages and complaints of ' +
          'every domain.',
        response: { 200: jsonResponse('The key.', ReferenceKeySchema.$id), ...refusals(...WITH_SESSION) },
      },
    },
    async () => ({ key: references.key.toString('hex') }),
  )
}
