/** Which documents the guide has, where each of them is served, and the order of the navigation. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { GUIDE_URL, type NavGroup, REFERENCE_URL } from '../../src/http/docs/site/site.ts'

export interface GuideDocument {
  /** From the root of the repository. */
  readonly path: string
  readonly url: string
  readonly title: string
  readonly text: string
}

interface Group {
  readonly title: string
  readonly documents: readonly string[]
}

const START: Group = {
  title: 'Start here',
  documents: [
    'docs/README.md',
    'docs/start/operator.md',
    'docs/start/tenant.md',
    'docs/start/support.md',
    'docs/start/developer.md',
    'README.md',
  ],
}

const GROUPS: readonly Group[] = [
  START,
  {
    title: 'Use',
    documents: ['docs/console.md', 'docs/verification.md', 'docs/tracking.md'],
  },
  {
    title: 'Run',
    documents: [
      'docs/install.md',
      'docs/configuration.md',
      'docs/operations.md',
      'docs/reliability.md',
      'docs/scaling.md',
      'docs/performance.md',
      'docs/promises.md',
      'SECURITY.md',
      'CHANGELOG.md',
    ],
  },
  {
    title: 'Mail servers',
    documents: [
      'docs/ingest.md',
      'docs/connectors/haraka.md',
      'docs/connectors/kumomta.md',
      'docs/connectors/postfix.md',
      'docs/connectors/exim.md',
      'docs/connectors/powermta.md',
      'docs/connectors/reports.md',
      'docs/connectors/classes-and-providers.md',
    ],
  },
  {
    title: 'API',
    documents: ['docs/api.md', 'docs/api-v1.md', 'docs/examples.md', 'docs/errors.md', 'clients/typescript/README.md'],
  },
  { title: 'Inside', documents: ['ARCHITECTURE.md', 'docs/storage.md', 'CONTRIBUTING.md'] },
]

const DECISIONS = 'docs/decisions/README.md'

/** Titles for the navigation, where the heading of the document is made for another place. */
const SHORT_TITLES: Readonly<Record<string, string>> = {
  'docs/README.md': 'Overview',
  'docs/start/operator.md': 'For operators',
  'docs/start/tenant.md': 'For tenants',
  'docs/start/support.md': 'For support staff',
  'docs/start/developer.md': 'For developers',
  'README.md': 'First steps',
  'docs/scaling.md': 'Scaling',
  'docs/connectors/reports.md': 'Bounces and complaints',
  'docs/connectors/classes-and-providers.md': 'Classes and providers',
  'clients/typescript/README.md': 'TypeScript client',
}

/** Documents of the folder `root`; those that are missing there are left out. */
export function readGuideDocuments(root: string): readonly GuideDocument[] {
  const listed = GROUPS.flatMap(({ documents }) => documents)
  const found = globSync(['docs/**/*.md', ...listed], { cwd: root }).map((path) => path.replaceAll('\\', '/'))
  return [...new Set(found)].sort().map((path) => {
    const text = readFileSync(join(root, path), 'utf8')
    return { path, url: urlOf(path), title: titleOf(text) ?? path, text }
  })
}

/** `docs/operations.md` is at /docs/guide/operations; documents outside of docs/ are below the name of their folder or `project`. */
function urlOf(path: string): string {
  const [folder, ...rest] = path.includes('/') ? path.split('/') : ['project', path.toLowerCase()]
  const place = folder === 'docs' ? rest : [folder, ...rest]
  const name = place
    .join('/')
    .replace(/\.md$/, '')
    .replace(/(?:^|\/)README$/, '')
  return name === '' ? GUIDE_URL : `${GUIDE_URL}/${name}`
}

function titleOf(text: string): string | undefined {
  return /^# (.+)$/m.exec(text)?.[1]?.replaceAll('`', '')
}

/** A document that no group names is in a group of its own at the end, so that it can be found at all. */
export function listGroups(documents: readonly GuideDocument[]): readonly NavGroup[] {
  const linkTo = ({ path, title, url }: GuideDocument) => ({ title: SHORT_TITLES[path] ?? title, url })
  const linksTo = (paths: readonly string[]) =>
    paths.flatMap((path) => documents.filter((document) => document.path === path).map(linkTo))
  const decisions = documents.filter(({ path }) => path.startsWith('docs/decisions/'))
  const named = new Set(GROUPS.flatMap((group) => group.documents))
  const others = documents.filter((document) => !named.has(document.path) && !decisions.includes(document))
  const groups: NavGroup[] = GROUPS.map(({ title, documents: paths }) => ({ title, links: linksTo(paths) }))
  const home = decisions.find(({ path }) => path === DECISIONS)
  if (home) {
    const links = [home, ...decisions.filter((decision) => decision !== home)].map(linkTo)
    groups.push({ title: 'Decisions', links, home: { title: `All ${links.length - 1} decisions`, url: home.url } })
  }
  if (others.length > 0) groups.push({ title: 'More', links: others.map(linkTo) })
  return groups
    .filter(({ links }) => links.length > 0)
    .map((group) =>
      group.title === 'API'
        ? { ...group, links: [{ title: 'API reference', url: REFERENCE_URL }, ...group.links] }
        : group,
    )
}
