import { type Readable, Transform, type Writable } from 'node:stream'
import { autocomplete, confirm, isCancel, password, text } from '@clack/prompts'
import { ConfigError, closestMatch } from '../../errors.ts'
import { holdsKey } from './key-shape.ts'

export type Asker = ReturnType<typeof createAsker>

type Keyboard = Readable & { isTTY?: boolean; setRawMode?(raw: boolean): unknown }

type Screen = Writable & { columns?: number; rows?: number }

/** Rejects with ConfigError after Ctrl-C. A key pasted at a visible prompt is dropped before the terminal shows it. */
export function createAsker(keyboard: Keyboard, output: Screen) {
  // A terminal that does not know its size reports 0 columns. Questions would then be one character wide.
  if (output.columns === 0) Object.assign(output, { columns: 80, rows: 24 })
  let isHidden = false
  let secret = ''
  const input = Object.assign(
    new Transform({
      transform(chunk, _encoding, done) {
        const typed = String(chunk)
        if (isHidden || !holdsKey(typed, secret)) return done(null, chunk)
        output.write('\u0007')
        done()
      },
    }),
    { isTTY: keyboard.isTTY === true, setRawMode: (raw: boolean) => keyboard.setRawMode?.(raw) },
  )
  keyboard.pipe(input)
  const streams = { input, output }

  const answered = <Value>(answer: Value): Exclude<Value, symbol> => {
    if (isCancel(answer)) throw new ConfigError('Nothing was written.')
    return answer as Exclude<Value, symbol>
  }
  return {
    /** Returns the trimmed answer, or `preset` if it is empty. Asks again while `check` returns an error. */
    async ask(message: string, preset: string, check: (answer: string) => string | undefined) {
      const validate = (answer = '') => check(answer.trim() || preset)
      const hint = preset === '' ? {} : { placeholder: preset, defaultValue: preset }
      return answered(await text({ ...streams, message, ...hint, validate })).trim() || preset
    },
    async choose(message: string, choices: readonly string[], preset: string): Promise<string> {
      const shown = { ...searchable(choices), initialValue: preset, maxItems: 8 }
      return answered(await autocomplete({ ...streams, message, ...shown }))
    },
    async askHidden(message: string): Promise<string> {
      isHidden = true
      try {
        secret = answered(await password({ ...streams, message, mask: '' })).trim()
        return secret
      } finally {
        isHidden = false
      }
    },
    confirm: async (message: string) => answered(await confirm({ ...streams, message, initialValue: false })),
    close() {
      keyboard.unpipe(input)
      keyboard.pause()
      input.destroy()
    },
  }
}

/** Returns options for a prompt that searches a list. The prompt asks again if the answer is not in the list. */
function searchable(choices: readonly string[]) {
  let typed = ''
  return {
    options: choices.map((value) => ({ value })),
    filter: (search: string, { value }: { value: string }) => {
      typed = search
      return value.toLowerCase().includes(search.trim().toLowerCase())
    },
    validate: (value?: string | string[]) =>
      value === undefined ? `Unknown: "${typed}". ${suggest(typed, choices)}` : undefined,
  }
}

/** Suggests choices whose last part, such as the city of a time zone, is similar to the typed text. */
function suggest(typed: string, choices: readonly string[]): string {
  const lastPart = (name: string) => name.slice(name.lastIndexOf('/') + 1)
  const near = choices.filter((name) => closestMatch(typed, [lastPart(name)]))
  return near.length > 0
    ? `Did you mean ${near.slice(0, 3).join(', ')}?`
    : 'Type a part of a name in the list.'
}
