/**
 * The access secret, with which sessions are sealed. It is not part of any backup. Only sessions depend on it, so a missing or
 * damaged file is replaced.
 */
import { randomBytes } from 'node:crypto'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '../app-error.ts'
import { makeFolder } from '../make-folder.ts'
import { secretId } from './keyring.ts'
import { createSealer, type Sealer } from './sealer.ts'
import { createSecretFile, readSecretFile, replaceSecretFile, SECRET_BYTES } from './secret-file.ts'

export const ACCESS_KEY_FILE = 'access.key'

/** What sessions need of it, wherever it is kept. */
export interface Access {
  /** Changes with every rotation; reveals nothing. */
  readonly id: string
  /** Set if it was damaged. */
  readonly warning: string | undefined
  /** Follows a rotation, after which it opens nothing that was sealed before. */
  sealerFor(purpose: string): Sealer
  /** Ends all sessions. */
  rotate(): Promise<void>
}

export class AccessSecret implements Access {
  readonly #path: string
  #secret: Buffer
  #id: string
  readonly warning: string | undefined

  constructor(dataDir: string) {
    makeFolder(dataDir)
    this.#path = join(dataDir, ACCESS_KEY_FILE)
    try {
      this.#secret = readSecretFile(this.#path) ?? this.#create()
    } catch (error) {
      if (!(error instanceof AppError) || !isFile(this.#path)) throw error
      this.#secret = this.#replace()
      this.warning = `${this.#path} was damaged and has been replaced: everybody has to sign in again.`
    }
    this.#id = secretId(this.#secret)
  }

  get id(): string {
    return this.#id
  }

  sealerFor(purpose: string): Sealer {
    return followSecret(() => this.#secret, purpose)
  }

  async rotate(): Promise<void> {
    this.#secret = this.#replace()
    this.#id = secretId(this.#secret)
  }

  #replace(): Buffer {
    const secret = randomBytes(SECRET_BYTES)
    replaceSecretFile(this.#path, secret)
    return secret
  }

  #create(): Buffer {
    createSecretFile(this.#path)
    const created = readSecretFile(this.#path)
    if (!created) throw new Error(`could not create ${this.#path}`)
    return created
  }
}

/** Seals with the secret of the moment. */
export function followSecret(find: () => Buffer, purpose: string): Sealer {
  let secret = find()
  let sealer = createSealer(secret, purpose)
  const current = () => {
    if (secret !== find()) {
      secret = find()
      sealer = createSealer(secret, purpose)
    }
    return sealer
  }
  return { seal: (plain) => current().seal(plain), open: (sealed) => current().open(sealed) }
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false
}
