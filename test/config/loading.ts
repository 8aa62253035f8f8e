import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadConfig } from '../../src/config/config.ts'
import { ConfigError } from '../../src/errors.ts'
import { folderOfEachTest } from '../support/folder.ts'

/** Gives each test a folder, and a function that writes a configuration into it and loads the configuration. */
export function loading() {
  const folder = folderOfEachTest()
  return {
    folder,
    load(content: object, environment: Record<string, string> = {}) {
      const config = join(folder(), 'config.json')
      writeFileSync(config, JSON.stringify(content))
      return loadConfig({ config }, environment)
    },
  }
}

export function failureOf(act: () => unknown): ConfigError {
  try {
    act()
  } catch (error) {
    if (error instanceof ConfigError) return error
    throw error
  }
  throw new Error('nothing was refused')
}
