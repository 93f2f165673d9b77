/**
 * The ways of one server to both databases, which can be cut: it runs in a network namespace of its own, or uses proxies that fall silent
 * where no namespace may be made.
 */
import type { NetConnectOpts } from 'node:net'
import type { ClickHouseCluster } from '../storage/clickhouse/cluster.ts'
import { CutNetwork, type Way } from './cut-network.ts'
import { CutProxy } from './cut-proxy.ts'

export class CutWays implements AsyncDisposable {
  readonly postgres: Way
  readonly clickHouse: Way
  /** For the server: variables, and what its command begins with. */
  readonly env: Readonly<Record<string, string>>
  readonly prefix: readonly string[]
  readonly #resources: AsyncDisposableStack

  private constructor(
    ways: Readonly<Record<'postgres' | 'clickHouse', Way>>,
    env: Readonly<Record<string, string>>,
    prefix: readonly string[],
    resources: AsyncDisposableStack,
  ) {
    this.postgres = ways.postgres
    this.clickHouse = ways.clickHouse
    this.env = env
    this.prefix = prefix
    this.#resources = resources
  }

  static async open(postgresUrl: string, cluster: ClickHouseCluster): Promise<CutWays> {
    const resources = new AsyncDisposableStack()
    try {
      return await CutWays.#openInto(resources, postgresUrl, cluster)
    } catch (error) {
      await resources.disposeAsync()
      throw error
    }
  }

  static async #openInto(
    resources: AsyncDisposableStack,
    postgresUrl: string,
    cluster: ClickHouseCluster,
  ): Promise<CutWays> {
    const network = await CutNetwork.open()
    if (network) resources.use(network)
    const connect = async (targets: readonly NetConnectOpts[]) => {
      const link = network?.addLink()
      const proxies: CutProxy[] = []
      for (const target of targets) proxies.push(resources.use(await CutProxy.open(target, link?.outside)))
      const silent: Way = {
        cut() {
          for (const proxy of proxies) proxy.cut()
        },
        mend() {
          for (const proxy of proxies) proxy.mend()
        },
      }
      return { way: link ?? silent, places: proxies.map(({ port }) => `${link?.outside ?? '127.0.0.1'}:${port}`) }
    }
    const url = new URL(postgresUrl.replace('@/', '@localhost/'))
    const postgres = await connect([{ path: `${url.searchParams.get('host')}/.s.PGSQL.5432` }])
    const ports = cluster.servers.map((server) => Number(new URL(server.url).port))
    const clickHouse = await connect(ports.map((port) => ({ port, host: '127.0.0.1' })))
    const env = {
      ENVELOG_POSTGRES_URL: `postgres://${url.username}@${postgres.places[0]}${url.pathname}`,
      ENVELOG_CLICKHOUSE_URL: clickHouse.places.map((place) => `http://${place}`).join(','),
      ...(network && { ENVELOG_HOST: network.addLink().inside }),
    }
    const ways = { postgres: postgres.way, clickHouse: clickHouse.way }
    return new CutWays(ways, env, network?.prefix ?? [], resources)
  }

  /** How they are cut. */
  get kind(): string {
    return this.prefix.length > 0 ? 'a network namespace' : 'silent proxies (network namespaces are not allowed here)'
  }

  mend(): void {
    this.postgres.mend()
    this.clickHouse.mend()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#resources.disposeAsync()
  }
}
