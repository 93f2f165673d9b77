/** The examples for several servers: valid YAML and XML that agree with each other, and options that exist. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { OPTIONS } from '../../src/config/options.ts'

const DEPLOY = join(import.meta.dirname, '../../deploy')

interface ComposeService {
  readonly build?: string
  readonly command?: readonly string[]
  readonly read_only?: boolean
  readonly cap_drop?: readonly string[]
  readonly security_opt?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly volumes?: readonly string[]
  readonly depends_on?: readonly string[] | Readonly<Record<string, unknown>>
}
interface Compose {
  readonly services: Readonly<Record<string, ComposeService>>
  readonly volumes: Readonly<Record<string, unknown>>
}

/** By Debian's Python: the structure of a text that it reads from stdin. */
function parseWith(script: string, text: string): string {
  const { status, stdout, stderr } = spawnSync('/usr/bin/python3', ['-c', script], { input: text, encoding: 'utf8' })
  assert.equal(status, 0, stderr)
  return stdout
}

const compose = JSON.parse(
  parseWith(
    'import json, sys, yaml; print(json.dumps(yaml.safe_load(sys.stdin)))',
    readFileSync(join(DEPLOY, 'compose.scale.yml'), 'utf8'),
  ),
) as Compose

/** The texts of all elements with this name. */
function elementsOf(file: string, name: string): readonly string[] {
  const script = `import json, sys, xml.etree.ElementTree as e; print(json.dumps([x.text for x in e.parse(sys.stdin).iter('${name}')]))`
  return JSON.parse(parseWith(script, readFileSync(join(DEPLOY, 'clickhouse', file), 'utf8'))) as string[]
}

describe('deploy/compose.scale.yml', () => {
  const services = Object.entries(compose.services)

  test('has two servers behind a proxy, PostgreSQL and three replicas', () => {
    const names = services.map(([name]) => name).sort()
    const servers = ['clickhouse-1', 'clickhouse-2', 'clickhouse-3', 'envelog-1', 'envelog-2']
    assert.deepEqual(names, [...servers, 'migrate', 'postgres', 'proxy'])
  })

  test('runs the image of the Dockerfile, whose servers write only to their volume', () => {
    const command = /^ENTRYPOINT (.+)\nCMD (.+)$/m.exec(readFileSync(join(DEPLOY, '../Dockerfile'), 'utf8'))?.slice(1)
    assert.deepEqual(command, ['["/usr/bin/envelog"]', '["serve"]'])
    const ours = ['migrate', 'envelog-1', 'envelog-2'].map((name) => compose.services[name])
    assert.deepEqual(
      ours.map((service) => service?.command),
      [['migrate'], undefined, undefined],
    )
    for (const service of ours) {
      assert.equal(service?.build, '..')
      assert.deepEqual([service.read_only, service.cap_drop], [true, ['ALL']])
      assert.deepEqual(service.security_opt, ['no-new-privileges:true'])
    }
  })

  test('names only options of Envelog that exist', () => {
    const options = new Set<string>(Object.values(OPTIONS).map(({ env }) => env))
    for (const [name, { environment = {} }] of services)
      for (const option of Object.keys(environment))
        if (option.startsWith('ENVELOG_')) assert.ok(options.has(option), `${name}: ${option}`)
  })

  test('uses only files, volumes and services that are there', () => {
    for (const [name, { volumes = [], depends_on = [] }] of services) {
      for (const [from = ''] of volumes.map((volume) => volume.split(':')))
        assert.ok(from.startsWith('.') ? existsSync(join(DEPLOY, from)) : from in compose.volumes, `${name}: ${from}`)
      const needed = Array.isArray(depends_on) ? depends_on : Object.keys(depends_on)
      for (const other of needed) assert.ok(other in compose.services, `${name}: ${other}`)
    }
  })

  test('keeps the data of every server in a volume of its own', () => {
    const kept = services.flatMap(([name, { volumes = [] }]) =>
      volumes.filter((volume) => !volume.startsWith('.')).map((volume) => [name, volume.split(':')[0]]),
    )
    assert.deepEqual(new Set(kept.map(([, volume]) => volume)), new Set(Object.keys(compose.volumes)))
    assert.equal(kept.length, Object.keys(compose.volumes).length)
    for (const [name, volume] of kept) assert.equal(volume, name)
  })
})

describe('deploy/clickhouse', () => {
  test('is XML that ClickHouse can read, without a password', () => {
    const files = globSync('*.xml', { cwd: join(DEPLOY, 'clickhouse') })
    assert.ok(files.length >= 5)
    for (const file of files) {
      elementsOf(file, 'clickhouse')
      for (const text of elementsOf(file, 'password')) assert.equal(text, null)
    }
  })

  test('has two shards with three replicas, which replicate among themselves', () => {
    assert.equal(elementsOf('cluster-two-shards.xml', 'shard').length, 2)
    const hosts = elementsOf('cluster-two-shards.xml', 'host')
    assert.deepEqual(
      hosts,
      [1, 2, 3, 4, 5, 6].map((number) => `clickhouse-${number}`),
    )
    assert.deepEqual(elementsOf('cluster-two-shards.xml', 'internal_replication'), ['true', 'true'])
  })

  test('finds Keeper where it runs, and every variable in the environment', () => {
    const keepers = elementsOf('keeper.xml', 'hostname')
    assert.equal(keepers.length, 3)
    assert.deepEqual(elementsOf('server.xml', 'host'), keepers)
    const { environment = {}, ...one } = compose.services['clickhouse-1'] ?? {}
    for (const file of one.volumes?.flatMap((volume) => /^\.\/(clickhouse\/[^:]+)/.exec(volume)?.[1] ?? []) ?? [])
      for (const [, name = ''] of readFileSync(join(DEPLOY, file), 'utf8').matchAll(/from_env="(\w+)"/g))
        assert.ok(name in environment, `${file}: ${name}`)
  })
})
