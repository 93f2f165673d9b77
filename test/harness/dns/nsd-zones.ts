/** Debian's nsd with zones given as text, which can be changed while it runs. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openDnsDaemon } from './dns-daemon.ts'

export interface NsdZones extends AsyncDisposable {
  /** `127.0.0.1:port` */
  readonly address: string
  /** Replaces the text of a zone and reloads it; it is served a moment later. */
  write(apex: string, text: string): void
}

/** Zone files by apex, without the line that sets the origin. */
export async function openNsdZones(zones: Readonly<Record<string, string>>): Promise<NsdZones> {
  const [first = ''] = Object.keys(zones)
  let version = 0
  const write = (folder: string, apex: string, text: string): void => {
    version += 1
    writeFileSync(join(folder, apex), `$ORIGIN ${apex}.\n${text.replaceAll('SERIAL', `${version}`)}\n`)
  }
  const nsd = await openDnsDaemon({
    program: '/usr/sbin/nsd',
    readyName: first,
    configure(folder, port) {
      mkdirSync(join(folder, 'tmp'))
      for (const [apex, text] of Object.entries(zones)) write(folder, apex, text)
      const sections = Object.keys(zones).map((apex) => `zone:\n  name: "${apex}"\n  zonefile: "${apex}"`)
      const configuration = [
        'server:',
        `  ip-address: 127.0.0.1@${port}`,
        // Keeps the user that started it, and writes only to this folder.
        '  username: ""',
        `  zonesdir: "${folder}"`,
        `  pidfile: "${join(folder, 'nsd.pid')}"`,
        `  xfrdfile: "${join(folder, 'xfrd.state')}"`,
        `  zonelistfile: "${join(folder, 'zone.list')}"`,
        `  xfrdir: "${join(folder, 'tmp')}"`,
        '  database: ""',
        '  server-count: 1',
        // Debian's build limits the answers per second, and tests exceed that.
        '  rrl-ratelimit: 0',
        'remote-control:',
        '  control-enable: no',
        ...sections,
      ]
      writeFileSync(join(folder, 'nsd.conf'), `${configuration.join('\n')}\n`)
      return ['-d', '-c', join(folder, 'nsd.conf')]
    },
  })
  return {
    address: nsd.address,
    write(apex, text) {
      write(nsd.folder, apex, text)
      nsd.signal('SIGHUP')
    },
    [Symbol.asyncDispose]: () => nsd[Symbol.asyncDispose](),
  }
}
