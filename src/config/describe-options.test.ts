import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseEnv } from 'node:util'
import { configurationMarkdown, envExample, optionsHelp } from './describe-options.ts'
import { loadConfig } from './load-config.ts'
import { OPTION_LIST } from './options.ts'

test('the manual, the example file and the help name every option and its default', () => {
  for (const text of [configurationMarkdown(), envExample(), optionsHelp()]) {
    for (const option of OPTION_LIST) {
      assert.ok(text.includes(option.env), option.env)
      assert.ok(text.includes(option.sentence), option.sentence)
      if (option.default !== undefined) assert.ok(text.includes(option.default), option.default)
    }
  }
})

test('the example file with every line uncommented is the default configuration', () => {
  const uncommented = envExample().replaceAll(/^#(?=ENVELOG_)/gm, '')
  assert.deepEqual(loadConfig(parseEnv(uncommented)), loadConfig({}))
})
