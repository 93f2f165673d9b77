/** `upgrade check`: what a start of this version would migrate, how long that takes and how much space it needs. */
import { EXIT } from '../../describe-failure.ts'
import { PROGRAM } from '../../lib/program-name.ts'
import { VERSION } from '../../lib/version.ts'
import { checkUpgrade } from '../../maintenance/check-upgrade.ts'
import type { CommandGroup, CommandSpec, Outcome } from '../command/command.ts'
import { formatBytes, formatCount } from '../text/text-table.ts'

type Plan = Awaited<ReturnType<typeof checkUpgrade>>

const check: CommandSpec = {
  name: 'check',
  description:
    'Show what the server of this version would migrate in the data folder when it starts, how long that takes and how much space it needs.',
  help: `Run it with the new version and the configuration of the server. It changes nothing, and a server may be running meanwhile.
Exit code: 0 if the folder can be used, 1 if it was written by a newer version or the disk has too little space.`,
  examples: ['upgrade check', 'upgrade check --json'],
  isLocal: true,
  async run({ config }) {
    return describe(await checkUpgrade(config), config.dataDir)
  },
}

function describe(plan: Plan, dataDir: string): Outcome {
  const { files, bytes, outdated, bytesNeeded, bytesFree } = plan
  const newer = outdated.filter(({ isNewer }) => isNewer)
  const problem = describeNewer(newer) ?? (bytesNeeded > bytesFree ? describeSpace(plan) : undefined)
  const lines = [`${dataDir}: ${formatCount(files, 'file')}, ${formatBytes(bytes)}.`]
  if (outdated.length === 0) lines.push(`Nothing to migrate: the folder is as Envelog ${VERSION} writes it.`)
  if (problem === undefined && outdated.length > 0) lines.push(...describeMigrations(plan))
  if (problem !== undefined) lines.push(problem)
  const { seconds } = plan
  return {
    json: {
      version: VERSION,
      isPossible: problem === undefined,
      files,
      bytes,
      outdated,
      seconds,
      bytesNeeded,
      bytesFree,
    },
    text: lines.join('\n'),
    exitCode: problem === undefined ? EXIT.ok : EXIT.failed,
  }
}

function describeMigrations({ outdated, seconds, bytesNeeded, bytesFree }: Plan): readonly string[] {
  const groups = Map.groupBy(outdated, ({ migrations }) => migrations.join(', '))
  return [
    `Envelog ${VERSION} migrates ${formatCount(outdated.length, 'file')} when it starts, one after the other:`,
    ...[...groups].map(([migrations, [first, ...more]]) => {
      const others = more.length > 0 ? ` and ${formatCount(more.length, 'other file')}` : ''
      return `  ${first?.file}${others}: ${migrations}`
    }),
    `Time: ${seconds < 60 ? 'less than a minute' : `about ${Math.ceil(seconds / 60)} minutes`}. Requests are answered afterwards.`,
    `Space: ${formatBytes(bytesNeeded)} of ${formatBytes(bytesFree)} free.`,
    'If it is interrupted, the next start continues. An earlier version cannot use the folder afterwards, so make a backup first:',
    `  ${PROGRAM} backup FOLDER`,
  ]
}

function describeNewer([newest, ...more]: Plan['outdated']): string | undefined {
  if (!newest) return undefined
  const others = more.length > 0 ? `, as were ${formatCount(more.length, 'other file')}` : ''
  return `${newest.file} was written by a newer version of Envelog (schema ${newest.schema})${others}. Start that version or a later one, or restore a backup that this version has written.`
}

function describeSpace({ bytesNeeded, bytesFree }: Plan): string {
  return `The disk has too little space: the migration needs ${formatBytes(bytesNeeded)}, and ${formatBytes(bytesFree)} are free.`
}

export const UPGRADE: CommandGroup = { name: 'upgrade', description: 'Upgrades of Envelog.', commands: [check] }
