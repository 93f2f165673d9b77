/** Section 2.5 of the interface: the body of every response that is not 2xx. */
import * as t from '../../lib/json-schema.ts'

export const ErrorBodySchema = t.object(
  {
    error: t.integer('The HTTP status of this response.', { format: 'int32' }),
    message: t.text('What went wrong, in words. The wording may change; do not compare it.'),
  },
  'The body of every response that is not 2xx.',
  { $id: 'Error', additionalProperties: false },
)
