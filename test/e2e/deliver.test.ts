import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startSandbox } from '../../src/sandbox/start-sandbox.ts'
import { run } from '../support/cli.ts'
import { smtpServer } from '../support/mail-server.ts'
import { hookServer } from '../support/server.ts'
import { scratch } from '../support/warehouse.ts'

/** Writes small custom reports. The appearance of included reports is covered by test/delivery. */
function plainReports(folder: string, ...names: readonly string[]) {
  mkdirSync(join(folder, 'mine'))
  for (const name of names)
    writeFileSync(join(folder, 'mine', `${name}.md`), `---\ntitle: ${name}\n---\n# hi\n`)
}

test('`faultline report --deliver` exits with status 1 if one channel fails, but sends to all other channels', async () => {
  const folder = scratch()
  const sandbox = await startSandbox({ incidents: 150, limits: false })
  const mails = await smtpServer()
  const hooks = await hookServer((response) => response.writeHead(404).end())
  try {
    const environment = {
      FAULTLINE_APP_KEY: sandbox.appKey,
      FAULTLINE_BASE_URL: sandbox.baseUrl,
      FAULTLINE_SMTP_PASSWORD: 'smtp-s3cret',
      FAULTLINE_WEBHOOK_URL: `${hooks.url}/T0P/hook-s3cret`,
    }
    const delivery = (webhook?: object) => ({
      mail: {
        host: '127.0.0.1',
        port: mails.port,
        user: 'u',
        from: 'f@company.example',
        to: 'a@company.example',
      },
      ...(webhook && { webhook }),
    })
    const configure = (fields: object) =>
      writeFileSync(join(folder, 'config.json'), JSON.stringify({ reports: './mine', ...fields }))
    plainReports(folder, 'one', 'two')
    configure({ delivery: delivery({}) })
    expect((await run(['sync'], environment, folder)).code).toBe(0)
    const failed = await run(['report', 'one', 'two', '--deliver'], environment, folder)
    expect(failed.code).toBe(1)
    expect(failed.err.match(/^error: .*HTTP 404/gm)).toHaveLength(2)
    expect(failed.out + failed.err).not.toMatch(/s3cret/)
    expect(mails.mails).toHaveLength(2)
    expect(hooks.posts.map(({ url }) => url)).toEqual(['/hook/T0P/hook-s3cret', '/hook/T0P/hook-s3cret'])
    expect(existsSync(join(folder, 'out', 'index.html'))).toBe(true)

    configure({ delivery: delivery() })
    const done = await run(['report', 'one', '--deliver'], environment, folder)
    expect(done.err).toBe('')
    expect(done.code).toBe(0)
    expect(done.out).toMatch(/one: already sent to a@company.example at 20.*--again sends it again/)
    expect(mails.mails).toHaveLength(2)
    const again = await run(['report', 'one', '--deliver', '--again'], environment, folder)
    expect(again.out).toContain('one: sent to a@company.example\n')

    // A missing password must be reported before any report is made or sent.
    const { FAULTLINE_SMTP_PASSWORD: _, ...without } = environment
    const refused = await run(['report', 'one', '--deliver'], without, folder)
    expect(refused.code).toBe(2)
    expect(refused.err).toContain('FAULTLINE_SMTP_PASSWORD')
    expect((await run(['start'], without, folder)).code).toBe(2)
    expect(mails.mails).toHaveLength(3)
  } finally {
    await sandbox.close()
    await mails.close()
    await hooks.close()
  }
}, 300_000)
