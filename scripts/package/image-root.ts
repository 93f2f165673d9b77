/** The file system of the container image: the program with its Node, and the libraries that Node needs. No shell and no package manager. */
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { packProgram, ROOT } from './pack-program.ts'
import { ARCHITECTURES, type Architecture, writeProgramTree } from './program-tree.ts'
import { runProgram } from './run-program.ts'

const HOME = 'usr/lib/envelog'
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt'

/** Loaded by libc when a host name is looked up, so ldd does not name them. */
const RESOLVER_LIBRARIES = ['libnss_dns.so.2', 'libnss_files.so.2', 'libresolv.so.2']

/** `user` has the number of the user and group that the image runs as. */
export function writeImageRoot(folder: string, architecture: Architecture, user: number, scratch: string): void {
  writeProgramTree(join(folder, HOME), packProgram(scratch), architecture, scratch)
  const node = `${HOME}/node_modules/${ARCHITECTURES[architecture]}/bin/node`
  copyLibraries(join(folder, node), folder)
  mkdirSync(join(folder, 'usr/bin'), { recursive: true })
  symlinkSync(`/${node}`, join(folder, 'usr/bin/node'))
  cpSync(join(ROOT, 'deploy/container/envelog'), join(folder, 'usr/bin/envelog'))
  mkdirSync(join(folder, 'etc/ssl/certs'), { recursive: true })
  if (existsSync(CERTIFICATES)) cpSync(CERTIFICATES, join(folder, CERTIFICATES))
  writeFileSync(join(folder, 'etc/passwd'), `envelog:x:${user}:${user}:Envelog:/var/lib/envelog:/nonexistent\n`)
  writeFileSync(join(folder, 'etc/group'), `envelog:x:${user}:\n`)
  writeFileSync(join(folder, 'etc/nsswitch.conf'), 'passwd: files\ngroup: files\nhosts: files dns\n')
  mkdirSync(join(folder, 'tmp'))
  // Whatever the umask.
  chmodSync(join(folder, 'tmp'), 0o1777)
  // In two steps: with `recursive`, the mode would be that of the parents as well, which the user has to enter.
  mkdirSync(join(folder, 'var/lib'), { recursive: true })
  mkdirSync(join(folder, 'var/lib/envelog'), { mode: 0o700 })
}

/** Under the names that the program is linked with: the paths of this machine. */
function copyLibraries(program: string, folder: string): void {
  const linked = runProgram('ldd', [program], folder).matchAll(/(\/\S+) \(0x/g)
  const files = [...linked].map(([, file = '']) => file)
  const [libc = ''] = files.filter((file) => basename(file) === 'libc.so.6')
  const others = RESOLVER_LIBRARIES.map((name) => join(dirname(libc), name)).filter((file) => existsSync(file))
  for (const file of [...files, ...others]) {
    mkdirSync(join(folder, dirname(file)), { recursive: true })
    writeFileSync(join(folder, file), readFileSync(realpathSync(file)), { mode: 0o755 })
  }
}
