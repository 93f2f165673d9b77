/** The option table as people read it: the manual page, the example file, the help of the command line. */
import { OPTION_LIST, type Option } from './options.ts'

const GENERATED = 'Generated from src/config/options.ts; a test fails when it differs.'

/** docs/configuration.md */
export function configurationMarkdown(): string {
  const sections = OPTION_LIST.map(([, option]) => markdownSection(option))
  return `# Configuration

<!-- ${GENERATED} -->

Environment variables configure the server and \`bin/envelog\` alike. A file named \`.env\` in the current folder is read too; what
the environment sets wins. Nothing has to be set: \`npm start\` runs with the defaults.

An unknown variable that starts with \`ENVELOG_\` is an error, a value that is not allowed too. All problems are reported at once;
\`bin/envelog config check\` reports them without starting anything. A variable set to an empty text counts as unset. Durations are
written as a number and a unit: \`90d\`, \`36h\`, \`15m\`, \`30s\`, \`500ms\`.

| variable | default |
|---|---|
${OPTION_LIST.map(([, option]) => `| [\`${option.env}\`](#${option.env.toLowerCase()}) | ${markdownDefault(option)} |`).join('\n')}

${sections.join('\n')}`
}

/** .env.example: every option, commented out, at its default. */
export function envExample(): string {
  const entries = OPTION_LIST.map(
    ([, option]) =>
      `# ${option.sentence}\n# Allowed: ${option.type.allowed}.\n#${option.env}=${option.default ?? ''}\n`,
  )
  return `# Copy to .env and uncomment what should differ. ${GENERATED}\n\n${entries.join('\n')}`
}

/** For `--help`: one line per option. */
export function optionsHelp(): string {
  const width = Math.max(...OPTION_LIST.map(([, option]) => option.env.length))
  const lines = OPTION_LIST.map(
    ([, option]) => `  ${option.env.padEnd(width)}  ${option.sentence} ${helpDefault(option)}`,
  )
  return `Environment variables (a .env file in the current folder is read too):\n${lines.join('\n')}`
}

function markdownSection(option: Option<unknown>): string {
  const secret = option.secret ? ' It is a secret and never printed.' : ''
  return `## ${option.env}

${option.sentence}${secret}

Default: ${markdownDefault(option)}. Allowed: ${option.type.allowed}.
`
}

function markdownDefault(option: Option<unknown>): string {
  return option.default === undefined ? 'unset' : `\`${option.default}\``
}

function helpDefault(option: Option<unknown>): string {
  return option.default === undefined ? '[unset]' : `[${option.default}]`
}
