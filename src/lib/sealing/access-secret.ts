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

export class AccessSecret {
  readonly #path: string
  #secret: Buffer
  #id: string
  /** Set if the file was damaged. */
  readonly warning: string | undefined

  constructor(dataDir: string) {
    makeFolder(dataDir)
    this.#path = join(dataDir, ACCESS_KEY_FILE)
    try {
      this.#secret = readSecretFile(this.#path) ?? this.#create()
    } catch (error) {
      if (!(error instanceof AppError) || !isFile(this.#path)) throw error
      this.#secret = this.rotate()
      this.warning = `${this.#path} was damaged and has been replaced: everybody has to sign in again.`
    }
    this.#id = secretId(this.#secret)
  }

  /** Changes with every rotation; reveals nothing. */
  get id(): string {
    return this.#id
  }

  /** Follows a rotation, after which it opens nothing that was sealed before. */
  sealerFor(purpose: string): Sealer {
    let secret = this.#secret
    let sealer = createSealer(secret, purpose)
    const current = () => {
      if (secret !== this.#secret) {
        secret = this.#secret
        sealer = createSealer(secret, purpose)
      }
      return sealer
    }
    return { seal: (plain) => current().seal(plain), open: (sealed) => current().open(sealed) }
  }

  /** Ends all sessions. */
  rotate(): Buffer {
    const secret = randomBytes(SECRET_BYTES)
    replaceSecretFile(this.#path, secret)
    this.#secret = secret
    this.#id = secretId(secret)
    return secret
  }

  #create(): Buffer {
    createSecretFile(this.#path)
    const created = readSecretFile(this.#path)
    if (!created) throw new Error(`could not create ${this.#path}`)
    return created
  }
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false
}
