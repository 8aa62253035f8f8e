import { existsSync, readFileSync } from 'node:fs'
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path'
import { type Client, createClient } from '../../client/client.ts'
import { configPath, requireService } from '../../config/config.ts'
import { type ConfigFields, configJsonSchema, configSchema } from '../../config/config-file.ts'
import { parseMoment } from '../../config/parse-timestamp.ts'
import { ConfigError, FaultlineError, ServiceError } from '../../errors.ts'
import { shown } from '../../site/error-places.ts'
import type { Flags, Texts } from '../command.ts'
import type { Context } from '../context.ts'
import { ownCommand } from '../invocation.ts'
import { ignoreInGit, writeNewFile } from './init-files.ts'
import { looksLikeKey } from './key-shape.ts'
import { type Asker, createAsker } from './terminal-prompts.ts'

export type InitOptions = Texts<'appKeyFile' | 'timezone' | 'since'> & Flags<'readKey' | 'yes' | 'force'>

const OBJECTIVE = 'Objective: percentage of Critical and Warning incidents acknowledged in time (empty: none)'
const SCHEMA_FILE = 'config.schema.json'

export async function runInit(context: Context, options: InitOptions): Promise<number> {
  const path = configPath(context.overrides)
  const force = options.force === true
  if (existsSync(path) && !force) {
    throw new ConfigError(`${path} already exists.`, {
      next: 'Add --force to replace it, or set another path with --config.',
    })
  }
  if (!/\.jsonc?$/.test(path)) {
    throw new ConfigError(`init writes JSON, but ${path} has the extension of another format.`, {
      next: 'Use a .json file. A configuration in YAML must be written by hand.',
    })
  }
  const asker = process.stdin.isTTY && !options.yes ? createAsker(process.stdin, process.stderr) : undefined
  try {
    const answers = await collectAnswers(context, options, dirname(path), asker)
    const written = write(path, answers, force)
    const ignoring = ignoreInGit([...written, ...madeLater(path, answers)])
    context.console.out(nextSteps([...written, ...ignoring], path, answers))
    return 0
  } finally {
    asker?.close()
  }
}

/** Asks for answers that the options lack. Asks for the key first, so that later prompts recognize a pasted key. */
async function collectAnswers(
  context: Context,
  options: InitOptions,
  folder: string,
  asker: Asker | undefined,
) {
  const { baseUrl, warehouse } = context.overrides
  if (!asker && baseUrl === undefined) {
    throw new ConfigError('The address of the service is missing.', {
      next: 'Add it: faultline init --base-url https://service.example --yes',
    })
  }
  const ask = async (question: string, value: string | undefined, preset: string, check: Check) => {
    const answer = value ?? (await asker?.ask(question, preset, check)) ?? preset
    const wrong = check(answer)
    if (wrong !== undefined) throw new ConfigError(wrong, { next: 'Correct it, and run init again.' })
    return answer
  }
  const inFolder = (name: string) => shown(resolve(folder, name))
  const file = options.appKeyFile || undefined
  const isThere = asker !== undefined && file !== undefined && existsSync(file)
  const askKey = async () => {
    if (!asker) return options.readKey ? pipedKey(context, file) : ''
    const key = isThere
      ? readFileSync(file, 'utf8').trim()
      : await asker.askHidden('App key, not shown (empty: use FAULTLINE_APP_KEY)')
    context.keepSecret(key)
    return key
  }
  let key = await askKey()
  const checkFile: Check = (value) =>
    asker && key !== '' && !isThere && !options.force && existsSync(value)
      ? `${value} already exists.`
      : checkKeyFile(value)
  const appKeyFile =
    file === undefined && key === ''
      ? undefined
      : await ask('File for the app key', file, inFolder('app-key'), checkFile)
  let address = await ask('Address of the service', baseUrl, '', checkAddress)
  while (asker && key !== '') {
    const failure = await tryKey(context, address, key)
    if (!failure || (await asker.confirm('Use this address and key anyway?'))) break
    if (failure instanceof ServiceError && failure.code === 'Unauthorized') key = await askKey()
    else address = await asker.ask('Address of the service', address, checkAddress)
  }
  return {
    baseUrl: address,
    appKeyFile: key === '' ? file : appKeyFile,
    /** Key to write to `appKeyFile`, if any. */
    key: isThere || key === '' ? undefined : key,
    warehouse: await ask('Warehouse file', warehouse, inFolder('faultline.duckdb'), checkWarehouse),
    timezone:
      options.timezone === undefined && asker
        ? await asker.choose('Time zone of reports', zones(), defaultZone())
        : await ask('', options.timezone, defaultZone(), checkZone),
    since: await ask('Oldest incidents: a date, or an age', options.since, '365d', checkSince),
    /** In percent. Empty without an objective. */
    objective: await ask(OBJECTIVE, undefined, '', checkPercent),
  }
}

/** Values that `init` writes. Paths are as the user typed them, relative to the working directory. */
type Answers = Awaited<ReturnType<typeof collectAnswers>>

/** Tries the key with one read request. @returns the error if the request fails */
async function tryKey(
  context: Context,
  baseUrl: string,
  appKey: string,
): Promise<FaultlineError | undefined> {
  const { insecure } = context.overrides
  let client: Client | undefined
  try {
    const { signal, console } = context
    const service = requireService({ baseUrl, appKey, insecure })
    client = createClient({ ...service, maxRetryMs: 5_000, signal, onWait: console.note })
    // Uses `read`, which does not validate records, because an invalid record does not mean that the key is wrong.
    await client.read('member/list', { p: 1, limit: 1 })
    console.note('The service responds and accepts the key.')
    return undefined
  } catch (error) {
    if (!(error instanceof FaultlineError)) throw error
    context.console.note([error.message, error.next].filter(Boolean).join('\n  '))
    return error
  } finally {
    await client?.close()
  }
}

const defaultZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone
const zones = () => [...new Set(['UTC', defaultZone(), ...Intl.supportedValuesOf('timeZone')])]

/** Returns an error message for an invalid answer. The message never repeats the answer, which could be a key. */
type Check = (value: string) => string | undefined

const checkAddress: Check = (value) => wrongIn('baseUrl', value)
const checkZone: Check = (value) => wrongIn('timezone', value)

/** Rejects a pasted key, because config.json would store it as a path. */
const checkKeyFile: Check = (value) => {
  if (value === '' || existsSync(value)) return undefined
  if (looksLikeKey(value)) {
    return 'This looks like a key, not a file. Enter a file such as ./app-key. The key itself is entered at a hidden prompt.'
  }
  return existsSync(dirname(resolve(value))) ? undefined : 'The folder of this file does not exist.'
}

const checkWarehouse: Check = (value) =>
  looksLikeKey(value) ? 'This looks like a key. Enter a file such as faultline.duckdb.' : undefined

const checkSince: Check = (value) => {
  try {
    parseMoment(value, Date.now() / 1_000, 'since')
    return undefined
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return 'Expected a date such as 2026-01-31, or an age such as 90d.'
  }
}

const checkPercent: Check = (value) =>
  value === '' || (/^\d{1,2}(\.\d+)?%?$/.test(value) && Number.parseFloat(value) > 0)
    ? undefined
    : 'Expected a percentage such as 90, or nothing.'

function wrongIn(name: 'baseUrl' | 'timezone', value: string): string | undefined {
  const issue = configSchema.shape[name].safeParse(value).error?.issues[0]
  return issue && `${name}: ${issue.message}.`
}

function pipedKey(context: Context, appKeyFile: string | undefined): string {
  if (appKeyFile === undefined) {
    throw new ConfigError('--read-key requires a file for the key.', {
      next: 'Add one: --app-key-file ./app-key',
    })
  }
  const key = readFileSync(0, 'utf8').trim()
  if (key === '') {
    throw new ConfigError('Standard input contains no key.', {
      next: 'Pipe it in: faultline init … --read-key < the-key',
    })
  }
  context.keepSecret(key)
  return key
}

/** Writes the files and returns their paths. Writes the key file first, because the configuration refers to it. */
function write(path: string, answers: Answers, force: boolean): string[] {
  const { key } = answers
  const folder = dirname(path)
  const schema = resolve(folder, SCHEMA_FILE)
  const schemaText = `${JSON.stringify(configJsonSchema(), null, 2)}\n`
  const objective = { ackGoal: Math.round(Number.parseFloat(answers.objective) * 1e4) / 1e6 }
  const config: ConfigFields = {
    $schema: `./${SCHEMA_FILE}`,
    baseUrl: answers.baseUrl,
    ...(answers.appKeyFile === undefined ? {} : { appKeyFile: from(folder, answers.appKeyFile) }),
    warehouse: from(folder, answers.warehouse),
    timezone: answers.timezone,
    sync: { since: answers.since },
    ...(answers.objective && { reporting: { targets: { Critical: objective, Warning: objective } } }),
  }
  const written: string[] = []
  const add = (file: string, text: string, mode: number) => {
    writeNewFile(file, text, mode, force)
    written.push(file)
  }
  if (key !== undefined) add(resolve(answers.appKeyFile!), `${key}\n`, 0o600)
  if (!existsSync(schema) || readFileSync(schema, 'utf8') !== schemaText) add(schema, schemaText, 0o644)
  add(path, `${JSON.stringify(config, null, 2)}\n`, 0o600)
  return written
}

/** Returns a path relative to the configuration's folder, or an absolute path if the file is outside that folder. */
function from(folder: string, path: string): string {
  if (isAbsolute(path)) return path
  const inside = relative(folder, resolve(path)).split(sep).join('/')
  return inside.startsWith('../') ? resolve(path) : `./${inside}`
}

/** Returns paths at which files with data or secrets may be created later. */
function madeLater(path: string, { warehouse }: Answers): string[] {
  const file = resolve(warehouse)
  return [file, `${file}.*`, resolve(dirname(path), '.env'), `${resolve(dirname(path), 'out')}/`]
}

function nextSteps(written: readonly string[], path: string, answers: Answers): string {
  const { appKeyFile } = answers
  const config = shown(path) === 'config.json' ? '' : ` --config ${shown(path)}`
  const key =
    appKeyFile === undefined
      ? ['  export FAULTLINE_APP_KEY=…   # do not store it in config.json']
      : existsSync(appKeyFile)
        ? []
        : [`  # write the key to ${appKeyFile}, and chmod 600 ${appKeyFile}`]
  return [
    ...written.map((file) => `Wrote ${shown(file)}`),
    `Service ${answers.baseUrl}, reports in ${answers.timezone}, incidents since ${answers.since}, warehouse ${answers.warehouse}`,
    '',
    'Next:',
    ...key,
    `  ${ownCommand()} check${config}`,
    `  ${ownCommand()} sync --plan${config}`,
  ].join('\n')
}
