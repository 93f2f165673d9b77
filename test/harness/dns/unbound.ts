/** Debian's unbound as a caching resolver that finds given zones at given servers. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type DnsDaemon, openDnsDaemon } from './dns-daemon.ts'

/** By apex: the servers of the zone, `127.0.0.1:port` each. */
export function openUnbound(zones: Readonly<Record<string, readonly string[]>>): Promise<DnsDaemon> {
  const [first = ''] = Object.keys(zones)
  return openDnsDaemon({
    program: '/usr/sbin/unbound',
    readyName: first,
    configure(folder, port) {
      const configuration = [
        'server:',
        '  interface: 127.0.0.1',
        `  port: ${port}`,
        '  do-daemonize: no',
        '  use-syslog: no',
        '  username: ""',
        '  chroot: ""',
        `  directory: "${folder}"`,
        `  pidfile: "${join(folder, 'unbound.pid')}"`,
        // No DNSSEC validation: these zones are not signed.
        '  module-config: "iterator"',
        '  num-threads: 1',
        '  do-ip6: no',
        '  do-not-query-localhost: no',
        // Otherwise unbound answers for this zone itself (RFC 6761).
        '  local-zone: "test." nodefault',
        'remote-control:',
        '  control-enable: no',
        ...Object.entries(zones).flatMap(([apex, servers]) => [
          'stub-zone:',
          `  name: "${apex}"`,
          ...servers.map((server) => `  stub-addr: ${server.replace(':', '@')}`),
        ]),
      ]
      writeFileSync(join(folder, 'unbound.conf'), `${configuration.join('\n')}\n`)
      return ['-d', '-c', join(folder, 'unbound.conf')]
    },
  })
}
