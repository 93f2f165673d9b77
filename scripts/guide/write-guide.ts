/** Writes the guide into the folder of a build, see src/http/docs/guide-surface.ts. */
import { cpSync, globSync, mkdirSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { GUIDE_URL } from '../../src/http/docs/site/site.ts'
import { renderGuide } from './render-guide.ts'

/** `folder` has the built script and style sheet already, in `assets`. Prints dead links. */
export function writeGuide(root: string, folder: string): void {
  const built = (pattern: string) => `${GUIDE_URL}/${globSync(pattern, { cwd: folder })[0] ?? ''}`
  const { site, pages, sections, images, problems } = renderGuide(root, {
    script: built('assets/*.js'),
    style: built('assets/*.css'),
  })
  for (const [path, html] of pages) write(join(folder, 'pages', path), html)
  write(join(folder, 'search.json'), JSON.stringify(sections))
  write(join(folder, 'site.json'), JSON.stringify(site))
  for (const image of images) cpSync(join(root, image), join(folder, 'images', basename(image)))
  for (const problem of problems) process.stderr.write(`${problem}\n`)
}

function write(file: string, content: string): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, content)
}
