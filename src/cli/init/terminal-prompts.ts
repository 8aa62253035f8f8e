import { type Readable, Transform, type Writable } from 'node:stream'
import { autocomplete, confirm, isCancel, password, text } from '@clack/prompts'
import { ConfigError } from '../../errors.ts'
import { holdsKey } from './key-shape.ts'

/** Asks questions on a terminal. Ctrl-C rejects with ConfigError. */
export interface Asker {
  /** Returns the trimmed answer, or `preset` if it is empty. Asks again while `check` returns an error. */
  ask(question: string, preset: string, check: (answer: string) => string | undefined): Promise<string>
  /** Chooses from a list, by typing part of an entry. */
  choose(question: string, choices: readonly string[], preset: string): Promise<string>
  /** Asks without echo. Later input that contains the answer is not echoed either. */
  askHidden(question: string): Promise<string>
  confirm(question: string): Promise<boolean>
  close(): void
}

/** A terminal, or a stream that is read line by line. */
type Keyboard = Readable & { isTTY?: boolean; setRawMode?(raw: boolean): unknown }

/** Asks on a terminal. A key pasted at another question is discarded before it is echoed. */
export function createAsker(keyboard: Keyboard, output: Writable): Asker {
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
    {
      isTTY: keyboard.isTTY === true,
      setRawMode: (raw: boolean) => keyboard.setRawMode?.(raw),
    },
  )
  keyboard.pipe(input)
  const streams = { input, output }

  const answered = <Value>(answer: Value): Exclude<Value, symbol> => {
    if (isCancel(answer)) throw new ConfigError('Nothing was written.')
    return answer as Exclude<Value, symbol>
  }
  return {
    async ask(message, preset, check) {
      const validate = (answer = '') => check(answer.trim() || preset)
      const hint = preset === '' ? {} : { placeholder: preset, defaultValue: preset }
      return answered(await text({ ...streams, message, ...hint, validate })).trim() || preset
    },
    async choose(message, choices, preset) {
      const options = choices.map((value) => ({ value }))
      return answered(await autocomplete({ ...streams, message, options, initialValue: preset, maxItems: 8 }))
    },
    async askHidden(message) {
      isHidden = true
      try {
        secret = answered(await password({ ...streams, message, mask: '' })).trim()
        return secret
      } finally {
        isHidden = false
      }
    },
    confirm: async (message) => answered(await confirm({ ...streams, message, initialValue: true })),
    close() {
      keyboard.unpipe(input)
      keyboard.pause()
      input.destroy()
    },
  }
}
