/** The Debian package: the program with its Node, a user, systemd units and a configuration. */
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { envExample } from '../../src/config/describe-options.ts'
import { VERSION } from '../../src/lib/version.ts'
import { ROOT } from './pack-program.ts'
import { type Architecture, writeProgramTree } from './program-tree.ts'
import { runProgram } from './run-program.ts'

const HOME = 'usr/lib/envelog'
const SCRIPTS = ['postinst', 'prerm', 'postrm'] as const

/** Makes the package of `program`, an npm package, in the folder `target` and returns its path. */
export function writeDebianPackage(
  target: string,
  program: string,
  architecture: Architecture,
  scratch: string,
): string {
  const root = join(scratch, architecture)
  writeProgramTree(join(root, HOME), program, architecture, scratch)
  const write = (path: string, content: string | Buffer, mode = 0o644) => {
    mkdirSync(join(root, path, '..'), { recursive: true, mode: 0o755 })
    writeFileSync(join(root, path), content, { mode })
  }
  const read = (path: string) => readFileSync(join(ROOT, 'deploy', path), 'utf8')
  write('usr/bin/envelog', read('debian/envelog'), 0o755)
  for (const unit of ['envelog.service', 'envelog.socket']) {
    write(`usr/lib/systemd/system/${unit}`, toInstalledUnit(read(`systemd/${unit}`)))
  }
  write('etc/envelog/envelog.env', defaultConfiguration())
  write('usr/share/doc/envelog/copyright', copyright())
  write('usr/share/doc/envelog/changelog.gz', gzipSync(readFileSync(join(ROOT, 'CHANGELOG.md')), { level: 9 }))
  symlinkSync('../../../lib/envelog/docs', join(root, 'usr/share/doc/envelog/docs'))
  write('DEBIAN/conffiles', '/etc/envelog/envelog.env\n')
  write('DEBIAN/control', control(architecture, sizeOf(root)))
  for (const script of SCRIPTS) write(`DEBIAN/${script}`, read(`debian/${script}`), 0o755)
  const file = join(target, `envelog_${VERSION}_${architecture}.deb`)
  // zstd: Debian 12 and Ubuntu 22.04 read it, and the test need not wait for xz.
  runProgram('dpkg-deb', ['--root-owner-group', '-Zzstd', '-z6', '--build', root, file], scratch)
  return file
}

/** The unit for a checkout, with the places of the package. Its options are in a file that commands read as well. */
export function toInstalledUnit(unit: string): string {
  return unit
    .replace(
      /^# It assumes .*\n# in .*\n/m,
      '# Options of Envelog belong in /etc/envelog/envelog.env. Change this unit with `systemctl edit envelog`.\n',
    )
    .replace(/^# Copy it to the folder of envelog\.service, then run/m, '# To use it, run')
    .replace('WorkingDirectory=/opt/envelog\n', 'WorkingDirectory=/var/lib/envelog\n')
    .replace(
      'Environment=ENVELOG_DATA_DIR=/var/lib/envelog\n',
      'Environment=ENVELOG_ENV_FILE=/etc/envelog/envelog.env\n',
    )
    .replaceAll('/opt/envelog', `/${HOME}`)
}

function defaultConfiguration(): string {
  const [, ...rest] = envExample().split('\n')
  return `# Options of Envelog. After a change: envelog config check && systemctl restart envelog\n${rest.join('\n')}`.replace(
    /^#ENVELOG_DATA_DIR=.*$/m,
    'ENVELOG_DATA_DIR=/var/lib/envelog',
  )
}

/** Node needs a libc and a libstdc++ that are not older. */
function control(architecture: Architecture, kilobytes: number): string {
  return `Package: envelog
Version: ${VERSION}
Architecture: ${architecture}
Maintainer: The Envelog authors <envelog@localhost>
Installed-Size: ${kilobytes}
Depends: init-system-helpers, libc6 (>= 2.28), libgcc-s1, libstdc++6 (>= 10), passwd, util-linux
Recommends: ca-certificates, systemd
Section: mail
Priority: optional
Description: delivery log of an email sending platform
 Stores what happened to every message (deliveries, bounces, opens, complaints),
 verifies the DNS records of sender domains, and serves the log and statistics
 over an HTTP API and in a web console.
 .
 It contains the Node that it runs with.
`
}

function copyright(): string {
  return `Envelog
Copyright 2026 The Envelog authors
License: Apache-2.0; on Debian systems, its text is in /usr/share/common-licenses/Apache-2.0.

The programs in /${HOME}/node_modules have licences of their own, beside them.
`
}

/** In kilobytes, as the files are counted by dpkg: rounded up one by one. */
function sizeOf(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, { parentPath, name }) => sum + Math.ceil(statSync(join(parentPath, name)).size / 1024), 0)
}
