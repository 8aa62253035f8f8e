import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Judge, Ran, Seen } from '../judge.ts'

/** Every failure must be reported with its cause and the next step, and without secrets. */
export function words(): Judge {
  return {
    name: 'words',
    promise: 'every failure says what to do, and no secret is shown',
    look: async (seen) => [...seen.ran.flatMap(unsaid), ...shown(seen)],
  }
}

interface Logged {
  readonly error?: string | null
  readonly next?: string | null
  readonly outcome?: string
}

const INSIDE = /\bundefined\b|\bNaN\b|\[object|\bat \S+:\d+:\d+|TypeError|INTERNAL Error/

function unsaid({ args, code, out, err }: Ran): string[] {
  const lines = err.split('\n').filter((line) => line !== '')
  // A process that a person stopped needs no next step in its message.
  const isStopped = lines.some(
    (line) => line.startsWith('{') && (JSON.parse(line) as Logged).outcome === 'stopped',
  )
  const errors = lines.flatMap((line, index) => {
    // The next step is on the line after the error, or in the same JSON line of a log.
    if (line.startsWith('error: ')) return [`${line} ${lines[index + 1] ?? ''}`]
    if (!line.startsWith('{')) return []
    const { error, next, outcome } = JSON.parse(line) as Logged
    return error && outcome !== 'stopped' ? [`${error} ${next ?? ''}`] : []
  })
  const said = `${args.join(' ')} ended with ${code}`
  return [
    ...(code !== 0 && code !== null && !isStopped && errors.length === 0
      ? [`${said} without a word: ${out}${err}`]
      : []),
    ...errors
      .filter((text) => text.split(/[.:?!] (?=\S)/).length < 2)
      .map((text) => `${said}, and nothing to do after: ${text}`),
    ...errors.filter((text) => INSIDE.test(text)).map((text) => `the inside shows: ${text}`),
  ]
}

function shown({ ran, folders, secrets }: Seen): string[] {
  const texts = ran.map(({ args, out, err }): [string, Buffer] => [args.join(' '), Buffer.from(out + err)])
  const files = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .map((name) => join(folder, name))
      .filter(
        (file) => !file.endsWith('.key') && statSync(file, { throwIfNoEntry: false })?.isFile() === true,
      )
      .map((file): [string, Buffer] => [file, readFileSync(file)]),
  )
  return [...texts, ...files].flatMap(([where, bytes]) =>
    secrets.filter((secret) => bytes.includes(secret)).map((secret) => `${where} holds ${secret}`),
  )
}
