import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { root, textOf } from '../support/markdown.ts'

/** The lines of a file of deploy/ that are no comment. */
const linesOf = (path: string) =>
  textOf(path)
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))

/** What docker may copy: of the checkout nothing but these. */
function context(): readonly string[] {
  const [all, ...but] = linesOf('deploy/Dockerfile.dockerignore')
  expect(all).toBe('*')
  return but.map((line) => /^!([\w.-]+)$/.exec(line)![1]!)
}

/**
 * Does the COPY lines of deploy/Dockerfile, and the build, in a folder for each stage: without docker and without a network, with the
 * packages that are installed here.
 * @returns the folder of the last stage, which is what /app is in the image
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

test('the image has all that its build reads, and all that the program in it reads', () => {
  const folder = mkdtempSync(join(tmpdir(), 'faultline-image-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const image = play(folder)
  const [, program = ''] = /^ENTRYPOINT \["node", "\/app\/(.*)"\]$/m.exec(textOf('deploy/Dockerfile'))!
  const run = (...args: string[]) =>
    execFileSync(process.execPath, [join(image, program), ...args], { cwd: folder, encoding: 'utf8' })
  expect(run('schema', 'incident_times')).toContain('### incident_times')
  expect(run('report', 'list')).toContain('executive-summary')
}, 600_000)
