/** Checks the listed domains one after another; the list shows each result as it arrives. Ends with the page. */
import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useRef, useState } from 'react'
import type { DomainSummaries } from '../../../../src/http/v1/domains/domains.wire.ts'
import type { DomainCheck } from '../../../../src/http/v1/domains/verify-domain.wire.ts'
import { DOMAINS_KEY, domainPath } from '../../api/domains.ts'
import { request } from '../../api/request.ts'
import { endSessionOn401 } from '../../api/session.ts'
import { type Progress, verifyAll } from './verify-all.ts'

export interface BulkVerify {
  /** Undefined before the first run, and after it was dismissed. */
  readonly progress: Progress | undefined
  readonly isRunning: boolean
  readonly start: (names: readonly string[]) => void
  readonly stop: () => void
  readonly dismiss: () => void
}

export function useBulkVerify(): BulkVerify {
  const client = useQueryClient()
  const [progress, setProgress] = useState<Progress>()
  const [isRunning, setRunning] = useState(false)
  const abort = useRef<AbortController>(undefined)
  const stop = useCallback(() => {
    abort.current?.abort()
    setRunning(false)
  }, [])
  useEffect(() => () => abort.current?.abort(), [])
  const start = (names: readonly string[]) => {
    abort.current?.abort()
    const own = new AbortController()
    abort.current = own
    setRunning(true)
    const check = async (name: string, signal: AbortSignal) => {
      try {
        const path = `${domainPath(name)}/verify`
        const { domain, isVerified } = await request<DomainCheck>(path, { method: 'POST', signal })
        client.setQueryData<DomainSummaries>(DOMAINS_KEY, (list) => {
          return list && { domains: list.domains.map((one) => (one.id === domain.id ? domain : one)) }
        })
        return isVerified
      } catch (error) {
        endSessionOn401(client, error)
        throw error
      }
    }
    void verifyAll(names, { check, pause, onProgress: setProgress }, own.signal).then(() => {
      if (!own.signal.aborted) setRunning(false)
    })
  }
  return { progress, isRunning, start, stop, dismiss: () => setProgress(undefined) }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  const wake = AbortSignal.any([signal, AbortSignal.timeout(ms)])
  if (wake.aborted) return
  await new Promise((resolve) => wake.addEventListener('abort', resolve, { once: true }))
}
