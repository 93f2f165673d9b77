/** The generations of a secret. The newest seals and signs; values of every generation can be opened and verified. */
import { hkdfSync } from 'node:crypto'
import { createSealer, type Sealer } from './sealer.ts'
import { createSigner, type Signer } from './signer.ts'

export interface Generation {
  readonly id: string
  readonly secret: Buffer
  readonly createdAtMs: number
  /** When everything that earlier generations had sealed was sealed with this one. Absent: not yet. */
  readonly resealedAtMs?: number
}

export interface GenerationSealer extends Sealer {
  /** Whether the newest generation has sealed it. */
  isCurrent(sealed: Uint8Array): boolean
}

/** Names a secret and proves that one is the right one. Derived one way from 256 random bits, so it reveals nothing. */
export function secretId(secret: Uint8Array): string {
  return Buffer.from(hkdfSync('sha256', secret, Buffer.alloc(0), 'envelog secret id', 8)).toString('hex')
}

interface Derived<T> {
  readonly current: T
  readonly older: readonly T[]
}

/** Sealers and signers follow a rotation: they may be kept. */
export class Keyring {
  #generations: readonly [Generation, ...Generation[]]

  constructor(generations: readonly [Generation, ...Generation[]]) {
    this.#generations = generations
  }

  /** Newest first. */
  get generations(): readonly [Generation, ...Generation[]] {
    return this.#generations
  }

  replace(generations: readonly [Generation, ...Generation[]]): void {
    this.#generations = generations
  }

  /** Sealers for different purposes cannot open each other's values. */
  sealerFor(purpose: string): GenerationSealer {
    const derived = this.#derive((secret) => createSealer(secret, purpose))
    return {
      seal: (plain) => derived().current.seal(plain),
      open(sealed) {
        const { current, older } = derived()
        const plain = current.open(sealed)
        if (plain) return plain
        for (const sealer of older) {
          const opened = sealer.open(sealed)
          if (opened) return opened
        }
        return undefined
      },
      isCurrent: (sealed) => derived().current.open(sealed) !== undefined,
    }
  }

  signerFor(purpose: string): Signer {
    const derived = this.#derive((secret) => createSigner(secret, purpose))
    return {
      get key() {
        return derived().current.key
      },
      sign: (text) => derived().current.sign(text),
      get older() {
        return derived().older
      },
    }
  }

  /** Once per generation; the older ones when they are first needed. */
  #derive<T>(make: (secret: Buffer) => T): () => Derived<T> {
    let madeFor: readonly Generation[] | undefined
    let made: Derived<T> | undefined
    return () => {
      if (made && madeFor === this.#generations) return made
      madeFor = this.#generations
      const [newest, ...rest] = this.#generations
      let older: readonly T[] | undefined
      made = {
        current: make(newest.secret),
        get older() {
          older ??= rest.map(({ secret }) => make(secret))
          return older
        },
      }
      return made
    }
  }
}
