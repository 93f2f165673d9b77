/** Documentation of the options: the manual page, the example file, the help of the command line. */
import { OPTION_LIST, type Option } from './options.ts'

const GENERATED = 'Generated from src/config/options.ts by npm run docs.'

/** docs/configuration.md */
export function configurationMarkdown(): string {
  const sections = OPTION_LIST.map((option) => markdownSection(option))
  return `# Configuration

<!-- ${GENERATED} -->

The server and \`bin/envelog\` are configured with environment variables, or with a file named \`.env\` in the current folder
(another one with \`ENVELOG_ENV_FILE\`); the environment takes precedence. All options are optional: \`npm start\` runs with the defaults.

Unknown variables that start with \`ENVELOG_\` and invalid values are errors. All of them are reported at once;
\`bin/envelog config check\` reports them without starting anything. An empty variable counts as unset. Durations are a number and a
unit: \`90d\`, \`36h\`, \`15m\`, \`30s\`, \`500ms\`.

| variable | default |
|---|---|
${OPTION_LIST.map((option) => `| [\`${option.env}\`](#${option.env.toLowerCase()}) | ${markdownDefault(option)} |`).join('\n')}

${sections.join('\n')}`
}

/** .env.example: every option, commented out, at its default. */
export function envExample(): string {
  const entries = OPTION_LIST.map(
    (option) => `# ${option.sentence}\n# Allowed: ${option.type.allowed}.\n#${option.env}=${option.default ?? ''}\n`,
  )
  return `# Copy to .env and uncomment the options to change. ${GENERATED}\n\n${entries.join('\n')}`
}

/** For `--help`: one line per option. */
export function optionsHelp(): string {
  const width = Math.max(...OPTION_LIST.map((option) => option.env.length))
  const lines = OPTION_LIST.map((option) => `  ${option.env.padEnd(width)}  ${option.sentence} ${helpDefault(option)}`)
  return `Environment variables (a .env file in the current folder is read too):\n${lines.join('\n')}`
}

function markdownSection(option: Option): string {
  return `## ${option.env}

${option.sentence}

Default: ${markdownDefault(option)}. Allowed: ${option.type.allowed}.
`
}

function markdownDefault(option: Option): string {
  return option.default === undefined ? 'unset' : `\`${option.default}\``
}

function helpDefault(option: Option): string {
  return option.default === undefined ? '[unset]' : `[${option.default}]`
}
