import { spawnSync } from 'node:child_process'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import { scratch } from '../../support/warehouse.ts'

const documents = parseAllDocuments(readFileSync('deploy/kubernetes-cronjob.yaml', 'utf8'))
const cronJob = documents.map((document) => document.toJS()).find(({ kind }) => kind === 'CronJob')
const { spec } = cronJob.spec.jobTemplate
const [container] = spec.template.spec.containers

test.each([
  ['a run without problems', 0, 0, 0],
  ['a partial sync', 1, 0, 1],
  ['a failed gate', 0, 3, 3],
  ['a partial sync with a failed gate', 1, 3, 1],
  ['a configuration error', 2, 2, 2],
])(
  'the Kubernetes CronJob runs `sync` and `report`, and passes on the exit status of %s',
  (_, synced, reported, status) => {
    const folder = scratch()
    const node = join(folder, 'node')
    writeFileSync(node, `#!/bin/sh\nshift\necho "$*"\n[ "$1" = sync ] && exit ${synced}\nexit ${reported}\n`)
    chmodSync(node, 0o755)
    const [command, ...args] = container.command as string[]
    const ran = spawnSync(command!, args, {
      encoding: 'utf8',
      env: { ...process.env, PATH: `${folder}${delimiter}${process.env.PATH}` },
    })
    expect(ran.stdout).toBe('sync\nreport --due\n')
    expect(ran.status).toBe(status)
  },
)

test('the Kubernetes CronJob is not rerun after the exit status 2 or 3', () => {
  expect(spec.podFailurePolicy.rules).toEqual([
    { action: 'FailJob', onExitCodes: { containerName: container.name, operator: 'In', values: [2, 3] } },
  ])
  // The failure policy requires this setting.
  expect(spec.template.spec.restartPolicy).toBe('Never')
})
