import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { run } from '../support/cli.ts'
import { scratch } from '../support/warehouse.ts'

const isThere = (program: string) => spawnSync(program, ['--version']).status === 0

/** Returns the suggestions of bash for the last word of a line. */
function offered(script: string, words: readonly string[]): string[] {
  const line = words.map((word) => `'${word}'`).join(' ')
  const ask = `${script}\nCOMP_WORDS=(${line}); COMP_CWORD=${words.length - 1}; _faultline; printf '%s\\n' "\${COMPREPLY[@]}"`
  const { stdout, stderr } = spawnSync('bash', ['-c', ask], { encoding: 'utf8' })
  expect(stderr).toBe('')
  return stdout.trim().split('\n')
}

/** Typed lines, and their completion by one Tab. */
const COMPLETED = [
  ['faultline repo', 'faultline report '],
  ['faultline config sh', 'faultline config show '],
  ['faultline sync --pl', 'faultline sync --plan '],
  ['faultline sync --wa', 'faultline sync --warehouse '],
  ['faultline sync inc', 'faultline sync incidents '],
  ['faultline --verbose sql --format m', 'faultline --verbose sql --format markdown '],
  ['faultline completion z', 'faultline completion zsh '],
  ['faultline call incident/li', 'faultline call incident/list '],
  ['faultline report ch', 'faultline report check '],
] as const

test.skipIf(!isThere('bash'))('bash completes the commands, options and values of faultline', async () => {
  const { out } = await run(['completion', 'bash'])
  expect(offered(out, ['faultline', 're'])).toEqual(['report', 'restore'])
  expect(offered(out, ['faultline', 'config', 's'])).toEqual(['show', 'schema'])
  for (const [typed, whole] of COMPLETED)
    expect(offered(out, typed.split(' '))).toEqual([whole.trim().split(' ').at(-1)])
})

/**
 * An interactive zsh in its own terminal. The shell writes to a file when it is ready for input. After ^T, it writes
 * its current line.
 */
const ZSH = `
zmodload zsh/zpty
zpty z zsh -f -i
zpty -w z "fpath=($1 \\$fpath); autoload -U compinit; compinit -u -D; note() print -r -- \\$BUFFER >> $1/noted; zle -N zle-line-init note; zle -N note; bindkey '^T' note"
noted() { until [[ -e $1/noted ]] && (( $(wc -l < $1/noted) >= $2 )); do zpty -r -t z; sleep 0.02; done > $1/screen }
noted $1 1
for typed in "\${@[2,-1]}"; do
  zpty -w -n z $'\\C-u'"$typed"$'\\t\\C-t'
  noted $1 $((++count + 1))
done
zpty -d z
tail -n +2 $1/noted
`

test.skipIf(!isThere('zsh'))('zsh completes the commands, options and values of faultline', async () => {
  const folder = scratch()
  writeFileSync(join(folder, '_faultline'), (await run(['completion', 'zsh'])).out)
  const typed = COMPLETED.map(([line]) => line)
  const { stdout, stderr } = spawnSync('zsh', ['-f', '-c', ZSH, 'zsh', folder, ...typed], {
    encoding: 'utf8',
    timeout: 30_000,
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, TERM: 'xterm' },
  })
  expect(stderr).toBe('')
  expect(stdout).toBe(COMPLETED.map(([, whole]) => `${whole}\n`).join(''))
})

test('the completion script for zsh contains every faultline command', async () => {
  const [script, help] = await Promise.all([run(['completion', 'zsh']), run(['--help'])])
  const names = [...help.out.slice(help.out.indexOf('Everyday commands:')).matchAll(/^ {2}([a-z]+)/gm)].map(
    ([, name]) => name!,
  )
  expect(names.length).toBeGreaterThan(15)
  for (const name of names.filter((one) => one !== 'help')) expect(script.out).toContain(name)
})

test('`faultline completion` lists the available shells for an unknown shell', async () => {
  expect(await run(['completion', 'tcsh'])).toMatchObject({
    code: 2,
    err: expect.stringContaining('bash, zsh'),
  })
})
