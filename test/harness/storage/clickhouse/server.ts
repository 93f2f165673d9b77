/** One ClickHouse server from the system's packages, on ports of loopback. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { MemberProcess, requirePackage } from './member-process.ts'

const PROGRAM = '/usr/sbin/clickhouse-server'
export const CLUSTER_NAME = 'envelog'
export const USER = 'envelog'
/** With characters that a URL, XML and SQL treat specially. */
export const PASSWORD = `p'w"&<\\ @/%`

const ANSWER_TIMEOUT_MS = 1000
/** Longer than an insert waits for its quorum. */
const PEER_TIMEOUT_SECONDS = 5

export interface ServerPorts {
  readonly http: number
  readonly native: number
  readonly replication: number
}

export interface ServerOptions {
  readonly folder: string
  readonly ports: ServerPorts
  readonly shard: number
  readonly replica: number
  /** Native ports of all replicas, by shard. */
  readonly layout: readonly (readonly number[])[]
  /** Absent for a server without replication. */
  readonly zooKeeper?: ZooKeeperAddress
}

export interface ZooKeeperAddress {
  readonly port: number
  /** Servers that it does not hear from for so long are away. */
  readonly sessionMs: number
}

export function makeServer(options: ServerOptions): MemberProcess {
  const { folder, ports, shard, replica } = options
  requirePackage('clickhouse-server', PROGRAM)
  mkdirSync(folder, { recursive: true })
  const config = writeConfig(options)
  writeFileSync(join(folder, 'users.xml'), USERS)
  return new MemberProcess({
    name: `clickhouse ${shard}.${replica}`,
    command: [PROGRAM, `--config-file=${config}`],
    output: join(folder, 'output'),
    isReady: () => isOk(ports.http),
  })
}

/** A server that runs reads the layout again within seconds. Returns the path. */
export function writeConfig(options: ServerOptions): string {
  const config = join(options.folder, 'config.xml')
  writeFileSync(config, serverConfig(options))
  return config
}

/** The time zone differs from UTC on purpose: no statement of ours may depend on it. */
function serverConfig({ folder, ports, shard, replica, layout, zooKeeper }: ServerOptions): string {
  const replicas = (ports: readonly number[]) =>
    ports.map((port) => `<replica><host>127.0.0.1</host><port>${port}</port></replica>`).join('')
  const shards = layout.map(
    (ports) => `<shard><internal_replication>true</internal_replication>${replicas(ports)}</shard>`,
  )
  const cluster = `
  <zookeeper>
    <node><host>127.0.0.1</host><port>${zooKeeper?.port}</port></node>
    <session_timeout_ms>${zooKeeper?.sessionMs}</session_timeout_ms>
  </zookeeper>
  <remote_servers><${CLUSTER_NAME}>${shards.join('')}</${CLUSTER_NAME}></remote_servers>
  <macros><shard>${shard}</shard><replica>${replica}</replica></macros>
  <distributed_ddl><path>/clickhouse/task_queue/ddl</path></distributed_ddl>`
  return `<?xml version="1.0"?>
<yandex>
  <logger>
    <level>warning</level><log>${folder}/log</log><errorlog>${folder}/errors</errorlog>
    <size>100M</size><count>1</count>
  </logger>
  <listen_host>127.0.0.1</listen_host>
  <http_port>${ports.http}</http_port>
  <tcp_port>${ports.native}</tcp_port>
  <interserver_http_port>${ports.replication}</interserver_http_port>
  <interserver_http_host>127.0.0.1</interserver_http_host>
  <keep_alive_timeout>3</keep_alive_timeout>
  <max_concurrent_queries>100</max_concurrent_queries>
  <uncompressed_cache_size>0</uncompressed_cache_size>
  <mark_cache_size>67108864</mark_cache_size>
  <path>${folder}/data/</path>
  <tmp_path>${folder}/tmp/</tmp_path>
  <user_files_path>${folder}/files/</user_files_path>
  <format_schema_path>${folder}/schemas/</format_schema_path>
  <users_config>users.xml</users_config>
  <default_profile>default</default_profile>
  <default_database>default</default_database>
  <timezone>Asia/Kolkata</timezone>
  <merge_tree>
    <old_parts_lifetime>1</old_parts_lifetime>
    <cleanup_delay_period>1</cleanup_delay_period>
    <cleanup_delay_period_random_add>0</cleanup_delay_period_random_add>
    <zookeeper_session_expiration_check_period>1</zookeeper_session_expiration_check_period>
  </merge_tree>
  <mlock_executable>false</mlock_executable>${zooKeeper === undefined ? '<remote_servers/>' : cluster}
</yandex>
`
}

const PASSWORD_IN_XML = PASSWORD.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
const RIGHTS = '<profile>default</profile><quota>default</quota><networks><ip>127.0.0.1</ip></networks>'
/**
 * The user without a password is the one by which the servers reach each other. Debian's version takes the timeouts between servers from
 * the profile, whatever a query says; by default a read would wait five minutes for a frozen replica.
 */
const USERS = `<?xml version="1.0"?>
<yandex>
  <profiles><default>
    <max_threads>2</max_threads>
    <receive_timeout>${PEER_TIMEOUT_SECONDS}</receive_timeout>
    <send_timeout>${PEER_TIMEOUT_SECONDS}</send_timeout>
    <connect_timeout_with_failover_ms>1000</connect_timeout_with_failover_ms>
    <background_pool_size>4</background_pool_size>
    <background_schedule_pool_size>4</background_schedule_pool_size>
  </default></profiles>
  <users>
    <default><password></password>${RIGHTS}</default>
    <${USER}><password>${PASSWORD_IN_XML}</password>${RIGHTS}</${USER}>
  </users>
  <quotas><default/></quotas>
</yandex>
`

async function isOk(port: number): Promise<boolean> {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/ping`, { signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS) })
    return (await answer.text()) === 'Ok.\n'
  } catch {
    return false
  }
}
