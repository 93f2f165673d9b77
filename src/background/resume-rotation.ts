/** Completes a rotation of the secret that was interrupted, once after the start. Until then values of both secrets can be read. */
import type { Logger } from 'pino'
import { completeRotation } from '../domains/keys/reseal-keys.ts'
import type { Service } from '../open-service.ts'

export interface ResumedRotation {
  /** Interrupts it again. Resolves when it has ended. */
  stop(): Promise<void>
}

export function resumeRotation(
  { storage, dataSecret, dkimSealer: sealer }: Pick<Service, 'storage' | 'dataSecret' | 'dkimSealer'>,
  logger: Logger,
): ResumedRotation {
  const stopping = new AbortController()
  const running = run()
  return {
    async stop() {
      stopping.abort()
      await running
    },
  }

  async function run(): Promise<void> {
    const [{ id, resealedAtMs }] = dataSecret.keyring.generations
    if (resealedAtMs !== undefined) return
    const deps = { domains: storage.control.domains, sealer, dataSecret }
    try {
      const result = await completeRotation(deps, undefined, stopping.signal)
      logger.info({ secret: id, ...result }, 'completed the rotation of the secret')
    } catch (error) {
      if (stopping.signal.aborted) return
      logger.error({ err: error, secret: id }, 'the rotation of the secret is incomplete; the next start resumes it')
    }
  }
}
