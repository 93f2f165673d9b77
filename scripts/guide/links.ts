/** Where the links of a document lead in the guide. Links that lead nowhere are noted, and shown as text. */
import { existsSync } from 'node:fs'
import { basename, dirname, join, posix } from 'node:path'
import { GUIDE_URL } from '../../src/http/docs/site/site.ts'
import type { GuideDocument } from './contents.ts'
import type { ResolveLink } from './markdown.ts'

/** A link to a heading, checked when all documents are rendered. */
export interface AnchorLink {
  readonly from: string
  readonly to: string
  readonly id: string
}

export class Links {
  readonly anchors: AnchorLink[] = []
  readonly problems: string[] = []
  /** Images that are used, from the root of the repository. */
  readonly images = new Set<string>()
  readonly #root: string
  readonly #urls: ReadonlyMap<string, string>

  constructor(root: string, documents: readonly GuideDocument[]) {
    this.#root = root
    this.#urls = new Map(documents.map(({ path, url }) => [path, url]))
  }

  resolverFor({ path }: GuideDocument): ResolveLink {
    return (target) => this.#resolve(path, target)
  }

  #resolve(from: string, target: string): string | undefined {
    // Addresses of examples: nothing is there.
    if (/^[a-z][a-z+.-]*:/i.test(target)) return undefined
    const [file = '', id] = target.split('#')
    const to = file === '' ? from : posix.normalize(posix.join(dirname(from), file)).replace(/\/$/, '/README.md')
    if (/\.(?:png|svg)$/.test(to)) return this.#image(from, to)
    const url = this.#urls.get(to)
    if (url === undefined) {
      // Files of the repository are not part of the guide.
      if (!existsSync(join(this.#root, to))) this.problems.push(`${from} links to ${target}, which does not exist`)
      return undefined
    }
    if (id === undefined) return url
    this.anchors.push({ from, to, id })
    return file === '' ? `#${id}` : `${url}#${id}`
  }

  #image(from: string, to: string): string | undefined {
    if (!existsSync(join(this.#root, to))) {
      this.problems.push(`${from} shows ${to}, which does not exist`)
      return undefined
    }
    this.images.add(to)
    return `${GUIDE_URL}/images/${basename(to)}`
  }
}
