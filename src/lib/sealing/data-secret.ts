/**
 * The data secret: everything that must stay readable or valid for years is sealed or signed with keys derived from it.
 *
 * The store has the id of the newest generation and the earlier ones sealed with the newest, so that one secret opens all. That
 * secret is `master.key` in the data folder, or the operator gives it. Rotation, step by step; a process may end after each:
 *
 * 1. the new secret is written to `master.key.next` (or the operator has already put it first),
 * 2. the store has the new generation, and the earlier ones sealed with it, in one transaction,
 * 3. `master.key.next` replaces `master.key`.
 *
 * Opening completes or discards what it finds: the store decides which secret is the newest. See docs/decisions/0031.
 */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { AppError } from '../app-error.ts'
import { makeFolder } from '../make-folder.ts'
import { PROGRAM } from '../program-name.ts'
import { type Generation, Keyring, secretId } from './keyring.ts'
import { replaceSecretFile, SECRET_BYTES } from './secret-file.ts'
import {
  type DataSecretOptions,
  type Generations,
  type Held,
  loadGenerations,
  MASTER_KEY_FILE,
  PENDING_FILE,
  type SecretPlace,
  settleFiles,
  toStored,
} from './secret-places.ts'
import type { StoredGeneration } from './secret-store.ts'

/** Each earlier generation is tried for a reference or token that does not verify, so their number bounds that work. */
const GENERATIONS_MAX = 8

export class DataSecret {
  readonly #options: DataSecretOptions
  readonly #keyring: Keyring
  #place: SecretPlace
  #warnings: readonly string[] = []
  #previous: Promise<unknown> = Promise.resolve()

  private constructor(options: DataSecretOptions, keyring: Keyring, place: SecretPlace) {
    this.#options = options
    this.#keyring = keyring
    this.#place = place
  }

  /** Throws AppError `conflict` for a missing, damaged or wrong secret. */
  static async open(options: DataSecretOptions): Promise<DataSecret> {
    if (options.dataDir !== undefined) makeFolder(options.dataDir)
    const { generations, held, warnings } = await loadGenerations(options)
    const opened = new DataSecret(options, new Keyring(generations), placeOf(held, options))
    opened.#warnings = [...warnings, ...settleFiles(options.dataDir, held, generations)]
    return opened
  }

  get keyring(): Keyring {
    return this.#keyring
  }

  get place(): SecretPlace {
    return this.#place
  }

  /** Found when it was opened. */
  get warnings(): readonly string[] {
    return this.#warnings
  }

  /** The new generation. What earlier ones have sealed stays readable, and should be sealed again: see `markResealed`. */
  rotate(): Promise<Generation> {
    return this.#change(async (generations) => {
      const { dataDir, makeNext } = this.#options
      const given = makeNext ? await makeNext() : (await this.#options.given())[0]
      const secret = given ?? randomBytes(SECRET_BYTES)
      const next: Generation = { id: secretId(secret), secret, createdAtMs: this.#options.clock() }
      if (generations.some(({ id }) => id === next.id)) throw notNew(next.id)
      if (generations.length >= GENERATIONS_MAX) {
        throw new AppError(
          'conflict',
          `There are ${generations.length} generations of the secret, the most that are kept. Forget the oldest first, with: ${PROGRAM} secret forget ID`,
        )
      }
      if (!given && dataDir !== undefined) replaceSecretFile(join(dataDir, PENDING_FILE), secret)
      return [next, ...generations]
    }).then(([newest]) => newest)
  }

  /** Learns what another server has changed. Throws AppError `conflict` if this server lacks the newest secret. */
  refresh(): Promise<void> {
    return this.#inTurn(async () => {
      const known = this.#keyring.generations
      const stored = await this.#options.store.listGenerations()
      const isSame = ({ id, resealedAtMs }: StoredGeneration, index: number) =>
        known[index]?.id === id && known[index]?.resealedAtMs === resealedAtMs
      if (stored.length !== known.length || !stored.every(isSame)) await this.#reload()
    })
  }

  /** After a full pass over everything sealed, with which generation it was begun. */
  async markResealed(id: string): Promise<void> {
    await this.#change(async ([newest, ...older]) => {
      if (newest.id !== id) return [newest, ...older]
      return [{ ...newest, resealedAtMs: this.#options.clock() }, ...older]
    })
  }

  /** Afterwards nothing that it signed is valid. Throws AppError `not_found`, or `conflict` if it is still needed. */
  async forget(id: string): Promise<void> {
    await this.#change(async ([newest, ...older]) => {
      if (newest.id === id) throw new AppError('conflict', `${id} is the newest secret: it cannot be forgotten.`)
      if (!older.some((generation) => generation.id === id))
        throw new AppError('not_found', `There is no secret ${id}.`)
      if (newest.resealedAtMs === undefined) {
        throw new AppError('conflict', 'Not all private keys are encrypted with the newest secret yet. Retry later.')
      }
      return [newest, ...older.filter((generation) => generation.id !== id)]
    })
  }

  /**
   * Adds the secret to a copy of the data, if a folder is given. `file` is absent if the operator keeps the secret: then no copy
   * contains it. Must not run while a rotation does: the copy would have one secret and the data of another.
   */
  copyTo(folder: string | undefined): Promise<{ readonly id: string; readonly file?: string }> {
    return this.#inTurn(async () => {
      const { generations, held } = await loadGenerations(this.#options)
      const [{ id }] = generations
      if (folder === undefined || held.place === 'given') return { id }
      const file = join(folder, MASTER_KEY_FILE)
      replaceSecretFile(file, held.secret)
      return { id, file }
    })
  }

  #change(toNext: (generations: Generations) => Promise<Generations>): Promise<Generations> {
    return this.#inTurn(async () => {
      // Before anything is written: the newest secret may be in the pending file only.
      const generations = await this.#reload()
      const changed = await toNext(generations)
      try {
        await this.#options.store.replaceGenerations(toStored(changed), generations[0].id)
        if (changed[0].id !== generations[0].id) await this.#options.waitForOthers?.()
      } finally {
        // After a failure too: it may have occurred after the commit.
        await this.#reload()
      }
      return changed
    })
  }

  /** What is stored decides; the files and this process follow. */
  async #reload(): Promise<Generations> {
    const { generations, held } = await loadGenerations(this.#options)
    settleFiles(this.#options.dataDir, held, generations)
    this.#keyring.replace(generations)
    this.#place = placeOf(held, this.#options)
    return generations
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#previous.then(work)
    this.#previous = done.catch(() => undefined)
    return done
  }
}

function placeOf({ place }: Held, { givenBy = 'operator' }: DataSecretOptions): SecretPlace {
  return place === 'given' ? givenBy : 'folder'
}

function notNew(id: string): AppError {
  return new AppError(
    'conflict',
    `The secret ${id} is already known. Put a new one, such as openssl rand -hex 32 prints, before the present one.`,
  )
}
