/**
 * Published limits for the share of delivered mail that is reported as spam. Google, Email sender guidelines: stay below
 * 0.1 %, never reach 0.3 %. Yahoo, Sender Best Practices: below 0.3 %.
 */
export const COMPLAINT_LIMITS = { target: 0.001, max: 0.003 } as const

export function complaintTone(rate: number): 'green' | 'amber' | 'red' {
  if (rate >= COMPLAINT_LIMITS.max) return 'red'
  return rate >= COMPLAINT_LIMITS.target ? 'amber' : 'green'
}
