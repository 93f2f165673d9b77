/** What all pages of the documentation share: navigation, files of the build, and the texts that are searched. */

export interface NavLink {
  readonly title: string
  /** From the root of this server. */
  readonly url: string
}

export interface NavGroup {
  readonly title: string
  readonly links: readonly NavLink[]
  /** Shown as one link, unless the page is one of the group. */
  readonly home?: NavLink
}

/** Written by the build, see scripts/guide/. */
export interface Site {
  readonly groups: readonly NavGroup[]
  /** URLs of the built script and style sheet. */
  readonly script?: string
  readonly style?: string
  /** Examples of calls as HTML, by endpoint such as `GET /v1/events`. */
  readonly examples: Readonly<Record<string, string>>
}

/** A part of a page that can be found: from one heading to the next. */
export interface SearchSection {
  readonly page: string
  /** Empty for the beginning of the page. */
  readonly heading: string
  readonly url: string
  readonly text: string
}

export const GUIDE_URL = '/docs/guide'
export const REFERENCE_URL = '/docs'

/** Without a build: the API reference is then a plain page. */
export const BARE_SITE: Site = { groups: [], examples: {} }
