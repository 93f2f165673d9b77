/**
 * The access secret of several servers: in their database, sealed with the data secret, so that a copy of the database alone opens
 * no session. A server follows the rotation of another one with its next `refresh`.
 */
import { randomBytes } from 'node:crypto'
import type { SettingStore } from '../shared-state.ts'
import { type Access, followSecret } from './access-secret.ts'
import { type GenerationSealer, secretId } from './keyring.ts'
import type { Sealer } from './sealer.ts'
import { SECRET_BYTES } from './secret-file.ts'

const NAME = 'access secret'

/** Keeps the secret of an installation that moves here, so that its sessions stay valid. `sealer`: of the data secret. */
export async function storeAccessSecret(settings: SettingStore, sealer: Sealer, secret: Uint8Array): Promise<void> {
  await settings.findOrCreate(NAME, sealer.seal(secret))
}

export class SharedAccessSecret implements Access {
  readonly #settings: SettingStore
  readonly #sealer: GenerationSealer
  #stored: Buffer
  #secret: Buffer
  #id: string
  readonly warning: string | undefined

  private constructor(settings: SettingStore, sealer: GenerationSealer, stored: Buffer, secret: Buffer | undefined) {
    this.#settings = settings
    this.#sealer = sealer
    this.#stored = stored
    this.#secret = secret ?? randomBytes(SECRET_BYTES)
    this.#id = secretId(this.#secret)
    if (!secret)
      this.warning = 'The access secret could not be decrypted and was replaced: everybody has to sign in again.'
  }

  /** `sealer`: of the data secret. */
  static async open(settings: SettingStore, sealer: GenerationSealer): Promise<SharedAccessSecret> {
    const stored = await settings.findOrCreate(NAME, sealer.seal(randomBytes(SECRET_BYTES)))
    const opened = new SharedAccessSecret(settings, sealer, stored, open(sealer, stored))
    if (opened.warning !== undefined) await opened.rotate()
    return opened
  }

  get id(): string {
    return this.#id
  }

  sealerFor(purpose: string): Sealer {
    return followSecret(() => this.#secret, purpose)
  }

  /** The other servers refuse the sessions after their next refresh. */
  async rotate(): Promise<void> {
    const secret = randomBytes(SECRET_BYTES)
    // Another server's rotation in between has ended all sessions, too.
    if (!(await this.#replace(secret))) await this.refresh()
  }

  /** Learns what another server has changed, and moves it to the newest data secret, so that an earlier one can be forgotten. */
  async refresh(): Promise<void> {
    const stored = await this.#settings.find(NAME)
    if (!stored) return
    if (!stored.equals(this.#stored)) {
      const secret = open(this.#sealer, stored)
      // Sealed with a data secret that this server does not know yet: the next refresh may open it.
      if (!secret) return
      this.#use(secret, stored)
    }
    if (!this.#sealer.isCurrent(stored)) await this.#replace(this.#secret)
  }

  async #replace(secret: Buffer): Promise<boolean> {
    const sealed = Buffer.from(this.#sealer.seal(secret))
    if (!(await this.#settings.replace(NAME, sealed, this.#stored))) return false
    this.#use(secret, sealed)
    return true
  }

  #use(secret: Buffer, stored: Buffer): void {
    this.#stored = stored
    this.#secret = secret
    this.#id = secretId(secret)
  }
}

function open(sealer: Sealer, sealed: Uint8Array): Buffer | undefined {
  const plain = sealer.open(sealed)
  return plain?.length === SECRET_BYTES ? Buffer.from(plain) : undefined
}
