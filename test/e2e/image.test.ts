import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { root, textOf } from '../support/markdown.ts'

/** Returns the lines of a file in deploy/, without comments and empty lines. */
const linesOf = (path: string) =>
  textOf(path)
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))

/** Returns the files of the checkout that docker may copy. */
function context(): readonly string[] {
  const [all, ...but] = linesOf('deploy/Dockerfile.dockerignore')
  expect(all).toBe('*')
  return but.map((line) => /^!([\w.-]+)$/.exec(line)![1]!)
}

/**
 * Performs the COPY lines of deploy/Dockerfile and its build, with a folder for each stage. Needs neither docker nor a
 * network, because it uses the installed packages.
 * @returns the folder of the last stage, which becomes /app in the image
 */
function play(folder: string): string {
  const known = context()
  let stage = ''
  for (const line of linesOf('deploy/Dockerfile')) {
    const [word, ...rest] = line.split(' ')
    if (word === 'FROM') stage = join(folder, rest[2] ?? 'image')
    else if (line.startsWith('RUN npm ci ')) {
      symlinkSync(join(root, 'node_modules'), join(stage, 'node_modules'))
      execFileSync('npm', ['run', 'prepare'], { cwd: stage, stdio: 'pipe' })
    } else if (line === 'COPY --from=build /app /app') {
      cpSync(join(folder, 'build'), stage, { recursive: true })
    } else if (word === 'COPY') {
      const target = rest.pop()!
      expect(known).toEqual(expect.arrayContaining(rest))
      for (const one of rest) {
        cpSync(join(root, one), join(stage, target === './' ? one : target), { recursive: true })
      }
    }
  }
  return stage
}

test('the Docker image contains all files that the build and the program read', () => {
  const folder = mkdtempSync(join(tmpdir(), 'faultline-image-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const image = play(folder)
  const [, program = ''] = /^ENTRYPOINT \["node", "\/app\/(.*)"\]$/m.exec(textOf('deploy/Dockerfile'))!
  const run = (...args: string[]) =>
    execFileSync(process.execPath, [join(image, program), ...args], { cwd: folder, encoding: 'utf8' })
  expect(run('schema', 'incident_times')).toContain('### incident_times')
  expect(run('report', 'list')).toContain('executive-summary')
}, 600_000)
