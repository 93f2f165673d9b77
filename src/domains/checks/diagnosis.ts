/** The mistakes that a check tells apart, each with words of its own. The names are stable: scripts may go by them. */

export const DIAGNOSES = {
  no_such_domain: 'the domain itself does not exist: it is not registered, or no name servers are set for it',
  no_such_name: 'nothing is published at the name',
  no_such_type: 'the name exists and has no record of that type',
  wrong_value: 'something else is published there',
  no_answer: 'DNS could not be asked; says nothing about the record',
} as const

export type DiagnosisCode = keyof typeof DIAGNOSES
