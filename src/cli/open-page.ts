import { spawn } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { loadConfig } from '../config/config.ts'
import { ConfigError, unknownName } from '../errors.ts'
import type { Texts } from './command.ts'
import type { Context } from './context.ts'

/** Opens the index or a report page in the browser. @throws ConfigError if the page does not exist */
export async function openPage(
  { console, overrides }: Context,
  name: string | undefined,
  { from }: Texts<'from'>,
): Promise<number> {
  const page = pageOf(resolve(from ?? loadConfig(overrides).out), name)
  console.out(page)
  const command = { darwin: 'open', win32: 'explorer' }[process.platform as string] ?? 'xdg-open'
  const child = spawn(command, [page], { detached: true, stdio: 'ignore' })
  const isOpened = await new Promise<boolean>((done) => {
    child.on('error', () => done(false))
    child.on('spawn', () => done(true))
  })
  child.unref()
  if (!isOpened)
    console.note(
      `${command} is not available. Open this file yourself, or run \`faultline serve\` and forward its port.`,
    )
  return 0
}

function pageOf(folder: string, name: string | undefined): string {
  const pages = pagesIn(folder)
  if (name === undefined) {
    const first = pages.includes('index') ? 'index' : pages[0]
    if (first !== undefined) return join(folder, `${first}.html`)
    throw new ConfigError(`No reports in ${folder}.`, { next: 'Create them: faultline report' })
  }
  if (pages.includes(name)) return join(folder, `${name}.html`)
  throw new ConfigError(`Unknown report page "${name}" in ${folder}.`, { next: unknownName(name, pages) })
}

function pagesIn(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter((file) => file.endsWith('.html') && !file.startsWith('.'))
    .map((file) => file.slice(0, -'.html'.length))
    .sort()
}
