/** Questions as requests to the peer's server. */
import type { Surface } from '../questions/http-side.ts'
import type { Answer } from '../questions/question.ts'

export const PEER: Surface = {
  path: (question, after) =>
    `/peer?${new URLSearchParams({ question: JSON.stringify(question), ...(after !== undefined && { after }) }).toString()}`,
  read: (body) => JSON.parse(body) as Answer,
}
