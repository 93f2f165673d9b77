/** Section 2.5 of the interface: the body of every response that is not 2xx. */
import { Type } from 'typebox'

export const ErrorBodySchema = Type.Object(
  {
    error: Type.Integer({ format: 'int32', description: 'The HTTP status of this response.' }),
    message: Type.String({ description: 'What went wrong, in words. The wording may change; do not compare it.' }),
  },
  { $id: 'Error', additionalProperties: false, description: 'The body of every response that is not 2xx.' },
)
