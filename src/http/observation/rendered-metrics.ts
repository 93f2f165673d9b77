/**
 * The text of /metrics. Rendering takes milliseconds of the serving thread and needs no key, so there is a limit on how often it is
 * done; requests beyond it get the last text.
 */
import { TokenBuckets } from '../../lib/turns/token-buckets.ts'

/** Several Prometheus servers may scrape every few seconds, each getting fresh numbers. */
const RENDERINGS = { burst: 20, perMinute: 120 }
const ALL = 'all'

export class RenderedMetrics {
  readonly #render: () => Promise<string>
  readonly #limit = new TokenBuckets(RENDERINGS)
  #text: Promise<string> | undefined
  #isRendering = false

  constructor(render: () => Promise<string>) {
    this.#render = render
  }

  /** Requests that arrive while it is rendered share the result. */
  get(): Promise<string> {
    if (this.#text && (this.#isRendering || !this.#limit.take(ALL, performance.now()))) return this.#text
    this.#isRendering = true
    const text = this.#render().finally(() => {
      this.#isRendering = false
    })
    // A failure is not kept for others.
    text.catch(() => {
      if (this.#text === text) this.#text = undefined
    })
    this.#text = text
    return text
  }
}
