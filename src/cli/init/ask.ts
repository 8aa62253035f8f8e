import { createInterface } from 'node:readline/promises'
import { type Readable, Writable } from 'node:stream'
import { ConfigError } from '../../errors.ts'

/** Somebody at a terminal who answers questions. */
export interface Asker {
  /** The answer without blanks around it; `preset` when it is empty. */
  ask(question: string, preset?: string): Promise<string>
  /** The same without echo. */
  askHidden(question: string): Promise<string>
  close(): void
}

/**
 * Asks on a terminal. Ctrl-C and Ctrl-D reject the question with ConfigError.
 * @param output stream of the questions; silent while an answer is hidden
 */
export function createAsker(input: Readable, output: Writable): Asker {
  let isHidden = false
  const shown = new Writable({
    write(chunk, _encoding, done) {
      if (!isHidden) output.write(chunk)
      done()
    },
  })
  const prompt = createInterface({ input, output: shown, terminal: true, historySize: 0 })
  const ending = new AbortController()
  prompt.on('close', () => ending.abort())
  prompt.on('SIGINT', () => prompt.close())

  const answerTo = async (question: string) => {
    try {
      return (await prompt.question(question, { signal: ending.signal })).trim()
    } catch (cause) {
      throw new ConfigError('Nothing was written.', { cause })
    }
  }
  return {
    async ask(question, preset = '') {
      return (await answerTo(`${question}${preset === '' ? '' : ` [${preset}]`}: `)) || preset
    },
    async askHidden(question) {
      output.write(`${question}: `)
      isHidden = true
      try {
        return await answerTo('')
      } finally {
        isHidden = false
        output.write('\n')
      }
    },
    close: () => prompt.close(),
  }
}
