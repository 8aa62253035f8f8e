import { createInterface } from 'node:readline/promises'
import { ConfigError } from '../errors.ts'

/** Asks for confirmation on the terminal. @throws ConfigError unless the answer is yes */
export async function confirm(question: string, warning: string): Promise<void> {
  if (!process.stdin.isTTY) throw new ConfigError(warning, { next: 'Add --yes to confirm.' })
  const prompt = createInterface({ input: process.stdin, output: process.stderr })
  const answer = await prompt.question(`${question} Continue? [y/N] `)
  prompt.close()
  if (!/^y(es)?$/i.test(answer.trim())) throw new ConfigError('Cancelled.')
}
