import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { run } from '../support/cli.ts'

const isThere = (program: string) => spawnSync(program, ['--version']).status === 0

/** What bash would offer for the words of a line, the last of which is being typed. */
function offered(script: string, words: readonly string[]): string[] {
  const line = words.map((word) => `'${word}'`).join(' ')
  const ask = `${script}\nCOMP_WORDS=(${line}); COMP_CWORD=${words.length - 1}; _faultline; printf '%s\\n' "\${COMPREPLY[@]}"`
  const { stdout, stderr } = spawnSync('bash', ['-c', ask], { encoding: 'utf8' })
  expect(stderr).toBe('')
  return stdout.trim().split('\n')
}

test.skipIf(!isThere('bash'))('bash completes commands, options of both kinds, and values', async () => {
  const { out } = await run(['completion', 'bash'])
  expect(offered(out, ['faultline', 're'])).toEqual(['report', 'restore'])
  expect(offered(out, ['faultline', 'config', 's'])).toEqual(['show', 'schema'])
  expect(offered(out, ['faultline', 'sync', '--pl'])).toEqual(['--plan'])
  expect(offered(out, ['faultline', 'sync', '--wa'])).toEqual(['--warehouse'])
  expect(offered(out, ['faultline', '--verbose', 'sql', '--format', 'm'])).toEqual(['markdown'])
})

test.each(['zsh', 'fish'])('%s knows every command', async (shell) => {
  const [script, help] = await Promise.all([run(['completion', shell]), run(['--help'])])
  const names = [...help.out.slice(help.out.indexOf('Commands:')).matchAll(/^ {2}([a-z]+)/gm)].map(
    ([, name]) => name!,
  )
  expect(names.length).toBeGreaterThan(15)
  for (const name of names.filter((one) => one !== 'help')) expect(script.out).toContain(name)
  if (isThere(shell)) expect(spawnSync(shell, ['-n'], { input: script.out }).status).toBe(0)
})

test('the manual page has every command, and roff reads it without a warning', async () => {
  const { out } = await run(['man'])
  expect(out).toMatch(/^\.TH FAULTLINE 1/)
  expect(out).toContain('.SS faultline sql [options] [query]')
  if (!isThere('groff')) return
  const { stderr, stdout } = spawnSync('groff', ['-man', '-Tutf8', '-ww', '-z'], {
    input: out,
    encoding: 'utf8',
  })
  expect(stderr + stdout).toBe('')
})

test('a shell that is not known is refused by name', async () => {
  expect(await run(['completion', 'tcsh'])).toMatchObject({
    code: 2,
    err: expect.stringContaining('bash, zsh, fish'),
  })
})
