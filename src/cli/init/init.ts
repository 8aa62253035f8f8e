import { existsSync, readFileSync } from 'node:fs'
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path'
import { type ConfigFields, configJsonSchema, configPath, configSchema } from '../../config/config.ts'
import { ConfigError } from '../../errors.ts'
import type { Context } from '../context.ts'
import { parseMoment } from '../moment.ts'
import { type Asker, createAsker } from './ask.ts'
import { writeNewFile } from './new-file.ts'

export interface InitFlags {
  readonly appKeyFile?: string
  readonly readKey?: boolean
  readonly timezone?: string
  readonly since?: string
  readonly yes?: boolean
  readonly force?: boolean
}

/** What `init` writes. Paths are as typed, relative to the working directory. */
interface Answers {
  readonly baseUrl: string
  readonly appKeyFile: string | undefined
  readonly warehouse: string
  readonly timezone: string
  readonly since: string
}

const SCHEMA_FILE = 'config.schema.json'

/** `faultline init`: writes the configuration, its schema for editors, and the file of the key when asked to. */
export async function initCommand(context: Context, flags: InitFlags): Promise<number> {
  const path = configPath(context.overrides)
  const force = flags.force === true
  if (existsSync(path) && !force) {
    throw new ConfigError(`${path} already exists.`, {
      next: 'Add --force to replace it, or name another with --config.',
    })
  }
  const asker = process.stdin.isTTY && !flags.yes ? createAsker(process.stdin, process.stderr) : undefined
  try {
    const answers = await answersFrom(context, flags, dirname(path), asker)
    const key = await keyFrom(context, flags, answers, asker)
    const written = write(path, answers, key, force)
    context.console.out(nextSteps(written, path, answers, key !== undefined))
    return 0
  } finally {
    asker?.close()
  }
}

async function answersFrom(
  { overrides }: Context,
  flags: InitFlags,
  folder: string,
  asker: Asker | undefined,
): Promise<Answers> {
  const file = relative('', resolve(folder, 'faultline.duckdb'))
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
  if (!asker && overrides.baseUrl === undefined) {
    throw new ConfigError('There is no address of the service.', {
      next: 'Add it: faultline init --base-url https://service.example --yes',
    })
  }
  return {
    baseUrl: await field(asker, 'Address of the service', overrides.baseUrl, '', checkAddress),
    appKeyFile:
      (await field(
        asker,
        'File that holds the app key (empty: FAULTLINE_APP_KEY is used)',
        flags.appKeyFile,
        '',
        checkKeyFile,
      )) || undefined,
    warehouse: await field(asker, 'Warehouse file', overrides.warehouse, file, () => {}),
    timezone: await field(asker, 'Time zone of reports', flags.timezone, zone, checkZone),
    since: await field(asker, 'Oldest incidents: a date, or an age', flags.since, '365d', checkSince),
  }
}

/** The flag, or the answer (asked again until it is valid), or the default. */
async function field(
  asker: Asker | undefined,
  question: string,
  given: string | undefined,
  preset: string,
  check: (value: string) => void,
): Promise<string> {
  if (given !== undefined || !asker) {
    const value = given ?? preset
    check(value)
    return value
  }
  for (;;) {
    const answer = await asker.ask(question, preset)
    try {
      check(answer)
      return answer
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      process.stderr.write(`  ${error.message}\n`)
    }
  }
}

function checkAddress(value: string): void {
  validate('baseUrl', value)
}

/** A key that was pasted here would stand in config.json as a path; nor is it printed. */
function checkKeyFile(value: string): void {
  if (value === '' || existsSync(value)) return
  if (/^(?=.*\d)[\w+=-]{24,}$/.test(value)) {
    throw new ConfigError('appKeyFile: that looks like a key, and is no file.', {
      next: 'Name a file such as ./app-key; the key itself is asked for after that.',
    })
  }
  if (existsSync(dirname(resolve(value)))) return
  throw new ConfigError('appKeyFile: the folder of that file is not there.', {
    next: 'Create it, or name a file in another folder.',
  })
}

function checkZone(value: string): void {
  validate('timezone', value)
}

function checkSince(value: string): void {
  parseMoment(value, Date.now() / 1_000, 'since')
}

function validate(name: 'baseUrl' | 'timezone', value: string): void {
  const issue = configSchema.shape[name].safeParse(value).error?.issues[0]
  if (issue) throw new ConfigError(`${name}: ${issue.message}.`, { next: 'Correct it, and run init again.' })
}

/** The key to write into its file: from standard input or a hidden prompt; undefined when there is none to write. */
async function keyFrom(
  context: Context,
  flags: InitFlags,
  { appKeyFile }: Answers,
  asker: Asker | undefined,
): Promise<string | undefined> {
  if (flags.readKey && appKeyFile === undefined) {
    throw new ConfigError('--read-key needs a file to write the key to.', {
      next: 'Name it: --app-key-file ./app-key',
    })
  }
  if (appKeyFile === undefined) return undefined
  const isAsked = asker && !existsSync(appKeyFile)
  const key = flags.readKey
    ? readFileSync(0, 'utf8').trim()
    : isAsked
      ? await asker.askHidden('App key, not shown (empty: write it into the file yourself)')
      : ''
  if (flags.readKey && key === '') {
    throw new ConfigError('Standard input holds no key.', {
      next: 'Pipe it in: faultline init … --read-key < the-key',
    })
  }
  context.keepSecret(key)
  return key === '' ? undefined : key
}

/** Writes the files, the key's first, so that no configuration names one that failed. @returns their paths */
function write(path: string, answers: Answers, key: string | undefined, force: boolean): string[] {
  const folder = dirname(path)
  const schema = resolve(folder, SCHEMA_FILE)
  const schemaText = `${JSON.stringify(configJsonSchema(), null, 2)}\n`
  const config: ConfigFields = {
    $schema: `./${SCHEMA_FILE}`,
    baseUrl: answers.baseUrl,
    ...(answers.appKeyFile === undefined ? {} : { appKeyFile: from(folder, answers.appKeyFile) }),
    warehouse: from(folder, answers.warehouse),
    timezone: answers.timezone,
    sync: { since: answers.since },
  }
  const files = [
    ...(key === undefined ? [] : [{ path: resolve(answers.appKeyFile!), text: `${key}\n`, mode: 0o600 }]),
    ...(existsSync(schema) && readFileSync(schema, 'utf8') === schemaText
      ? []
      : [{ path: schema, text: schemaText, mode: 0o644 }]),
    { path, text: `${JSON.stringify(config, null, 2)}\n`, mode: 0o600 },
  ]
  for (const file of files) writeNewFile({ ...file, force })
  return files.map((file) => file.path)
}

/** A path as written in the configuration: relative to its folder, or absolute when it is elsewhere. */
function from(folder: string, path: string): string {
  if (isAbsolute(path)) return path
  const inside = relative(folder, resolve(path)).split(sep).join('/')
  return inside.startsWith('../') ? resolve(path) : `./${inside}`
}

function nextSteps(
  written: readonly string[],
  path: string,
  { appKeyFile }: Answers,
  hasKey: boolean,
): string {
  const config = relative('', path) === 'config.json' ? '' : ` --config ${relative('', path)}`
  const key =
    appKeyFile === undefined
      ? ['  export FAULTLINE_APP_KEY=…   # never in that file']
      : hasKey || existsSync(appKeyFile)
        ? []
        : [`  # write the key into ${appKeyFile}, and chmod 600 ${appKeyFile}`]
  return [
    ...written.map((file) => `Wrote ${relative('', file) || file}`),
    '',
    'Next:',
    ...key,
    `  npx faultline check${config}`,
    `  npx faultline sync --plan${config}`,
  ].join('\n')
}
