import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse, parseAllDocuments, parseDocument } from 'yaml'
import { readConfig } from '../../../src/config/config-file.ts'
import { Lake } from '../../../src/settings/lake.ts'
import { version } from '../../../src/version.ts'
import { blocks, root } from '../../support/markdown.ts'

const deploy = join(root, 'deploy')
const textOf = (file: string) => readFileSync(join(deploy, file), 'utf8')
const IMAGE = `registry.example/faultline:${version}`

interface Container {
  readonly name: string
  readonly image: string
  readonly imagePullPolicy: string
  readonly volumeMounts: { name: string; mountPath: string; subPath?: string; readOnly?: boolean }[]
}

describe.each(['kubernetes.yaml', 'kubernetes-cronjob.yaml'])('deploy/%s', (file) => {
  const documents = parseAllDocuments(textOf(file)) as ReturnType<typeof parseDocument>[]
  const objects = documents.map((document) => document.toJS())
  const pods = objects.flatMap(({ spec }) => (spec.jobTemplate?.spec ?? spec).template?.spec ?? [])
  const containers: Container[] = pods.flatMap((pod) => pod.containers)

  test('allows only one writer and mounts only declared volumes', () => {
    expect(documents.flatMap(({ errors }) => errors)).toEqual([])
    expect(new Set(objects.map(({ metadata }) => metadata.name))).toEqual(new Set(['faultline']))
    for (const { kind, spec } of objects) {
      if (kind === 'Deployment') expect([spec.replicas, spec.strategy.type]).toEqual([1, 'Recreate'])
      if (kind === 'CronJob') expect(spec.concurrencyPolicy).toBe('Forbid')
    }
    for (const pod of pods) {
      const volumes = pod.volumes.map(({ name }: { name: string }) => name)
      for (const { volumeMounts } of pod.containers as Container[])
        for (const { name } of volumeMounts) expect(volumes).toContain(name)
    }
  })

  test('uses the image of this Faultline version', () => {
    expect(containers.map(({ name, image }) => [name, image]).sort()).toEqual([
      ['faultline', IMAGE],
      ['pages', expect.stringMatching(/^nginxinc\/nginx-unprivileged:/)],
    ])
    for (const { imagePullPolicy } of containers) expect(imagePullPolicy).toBe('IfNotPresent')
  })

  test('gives the web server only the folder of report pages, read-only', () => {
    const pages = containers.find(({ name }) => name === 'pages')!
    expect(pages.volumeMounts.filter(({ name }) => name === 'data')).toEqual([
      { name: 'data', mountPath: '/var/lib/faultline/out', subPath: 'out', readOnly: true },
    ])
    for (const { mountPath } of pages.volumeMounts)
      if (mountPath.endsWith('htpasswd')) expect(textOf('nginx.conf')).toContain(mountPath)
  })
})

test('the web server in deploy/compose.yaml serves only report pages, on 127.0.0.1', () => {
  const { services, volumes } = parse(textOf('compose.yaml'))
  const { pages, faultline } = services
  expect(faultline.image).toBe(`faultline:${version}`)
  expect(pages.ports).toEqual(['127.0.0.1:8080:8080'])
  for (const mount of pages.volumes as string[]) expect(mount).toMatch(/:ro$/)
  const named = (pages.volumes as string[]).map((mount) => mount.split(':')[0]!)
  expect(named.filter((name) => Object.hasOwn(volumes, name))).toEqual(['out'])
  expect(faultline.volumes).toContain('out:/data/out')
  // A new volume has the owner of the folder in the image.
  expect(textOf('Dockerfile')).toContain('install -d -o node -g node /data /data/out')
})

test('the systemd unit forbids a restart after a configuration error', () => {
  expect(textOf('faultline.service')).toMatch(/^RestartPreventExitStatus=2$/m)
})

test('the GitHub workflow builds report pages even after a partial sync', () => {
  const { steps } = parse(textOf('github-pages.yml')).jobs.reports as {
    steps: { run?: string; uses?: string; if?: string; with?: { path?: string } }[]
  }
  const runs = steps.flatMap(({ run }) => run ?? [])
  expect(runs.map((run) => /faultline (.*?) \|\|/.exec(run)?.[1]).filter(Boolean)).toEqual([
    'sync',
    'report',
    'report --due',
  ])
  const status = (script: string, code: number) =>
    spawnSync('bash', ['-ec', script.replace('node_modules/.bin/faultline', `sh -c 'exit ${code}' --`)], {
      env: { ...process.env, GITHUB_ENV: '/dev/null' },
    }).status
  expect([0, 1, 3].map((code) => status(runs[1]!, code))).toEqual([0, 0, 0])
  for (const run of runs.slice(2, 4)) expect([0, 1, 3].map((code) => status(run, code))).toEqual([0, 1, 0])
  const caches = steps.filter(({ uses }) => uses?.startsWith('actions/cache/'))
  for (const { with: has } of caches) expect(has!.path).toContain('faultline.duckdb.*')
  expect(caches.map((step) => step.if)).toEqual([undefined, 'always()'])
})

test('the commands in deploy/README.md refer to existing files', () => {
  const lines = blocks('deploy/README.md', 'sh')
  const mine = /^(deploy\/)?(config\.json|app-key|htpasswd)$|^-$/
  const named = lines
    .join('\n')
    .matchAll(
      /(?: -f |--from-file=(?:[\w.]+=)?|> |node_modules\/faultline\/|\/opt\/faultline\/)([\w.-]+[\w./-]*)/g,
    )
  const files = Array.from(named, ([, file]) => file!).filter((file) => !mine.test(file))
  expect(files.length).toBeGreaterThan(8)
  expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([])
})

test('deploy/compose.lake.yaml refers only to existing services, volumes and database roles', () => {
  const document = parseDocument(textOf('compose.lake.yaml'), { merge: true })
  expect(document.errors).toEqual([])
  interface Service {
    build?: object
    command: string[]
    environment: { FAULTLINE_WAREHOUSE: string }
    depends_on?: object
    configs?: { source: string }[]
    volumes?: string[]
  }
  const { services, volumes, configs } = document.toJS() as Record<
    'services' | 'volumes' | 'configs',
    Record<string, Service>
  >
  const roles = textOf('lake-roles.sql').match(/(?<=array\[.*')faultline_\w+(?=')/g)
  const ours = Object.values(services).filter(({ build }) => build !== undefined)
  expect(ours.map(({ command }) => command.filter((word) => !word.startsWith('-')).join(' ')).sort()).toEqual(
    ['lake maintain', 'lake work', 'start'],
  )
  for (const service of Object.values(services)) {
    for (const other of Object.keys(service.depends_on ?? {})) expect(services).toHaveProperty([other])
    for (const { source } of service.configs ?? []) expect(configs).toHaveProperty([source])
    for (const mount of service.volumes ?? []) {
      const from = mount.split(':')[0]!
      // The user provides the configuration, so the repository does not contain it.
      if (!from.startsWith('.')) expect(volumes).toHaveProperty([from])
      else if (from !== './config.json') expect(existsSync(join(deploy, from)), from).toBe(true)
    }
  }
  const page = textOf('README.md')
  const config = /```json\n(.*?)```/s.exec(page)![1]!
  const { lake: fields } = readConfig(config, 'config.json').data
  expect(services).toHaveProperty([fields.s3!.endpoint!.split(':')[0]!])
  for (const { environment } of ours) {
    const lake = new Lake(environment.FAULTLINE_WAREHOUSE, fields, '/data', () => 'x')
    expect(roles).toContain(/user=(\w+)/.exec(lake.catalogue)![1])
    expect(services).toHaveProperty([/host=(\w+)/.exec(lake.catalogue)![1]!])
  }
})

test.skipIf(spawnSync('systemd-analyze', ['--version']).status !== 0)(
  '`systemd-analyze verify` accepts deploy/faultline.service',
  () => {
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', join(deploy, 'faultline.service')], {
      encoding: 'utf8',
    })
    // The command may report that this machine does not have node or the user.
    const about = stderr
      .split('\n')
      .filter(
        (line) => line.includes('faultline.service') && !/not (found|executable)|No such file/.test(line),
      )
    expect(about).toEqual([])
    expect([0, 1]).toContain(status)
  },
)

test('deploy/README.md names every file in deploy/', () => {
  const page = textOf('README.md')
  const files = readdirSync(deploy, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  )
  const missing = files
    .map(({ name }) => name)
    .filter((name) => !page.includes(name) && !/README|dockerignore|^Dockerfile$/.test(name))
  expect(missing).toEqual([])
})
