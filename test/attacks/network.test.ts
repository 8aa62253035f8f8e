import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { connect } from 'node:net'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { loadConfig, requireService } from '../../src/config/config.ts'
import type { MailTarget } from '../../src/config/delivery-targets.ts'
import { sendMail } from '../../src/delivery/send-mail.ts'
import { post } from '../../src/delivery/send-webhook.ts'
import { ConfigError, DeliveryError } from '../../src/errors.ts'
import { run, start } from '../support/cli.ts'
import { smtpServer } from '../support/mail-server.ts'
import { data, onFreePort, scriptedServer } from '../support/server.ts'
import { scratch } from '../support/warehouse.ts'

const KEY = 'k3y-of-the-test'
const NEVER = new AbortController().signal
const EMPTY = '{"items":[],"total":0,"p":1,"limit":1}'
const PAGE = data(EMPTY)

const hasOpenssl = spawnSync('openssl', ['version']).status === 0
if (!hasOpenssl)
  console.warn('Skipped: no openssl on the path, so no certificate for a service behind a proxy.')

function certificateOf(name: string) {
  const folder = scratch()
  const [keyFile, path] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
  const make = `req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=${name} -addext subjectAltName=DNS:${name}`
  execFileSync('openssl', [...make.split(' '), '-keyout', keyFile, '-out', path], { stdio: 'ignore' })
  return { key: readFileSync(keyFile), cert: readFileSync(path), path }
}

/** A proxy that forwards requests for any host to `target`, and records them. */
async function proxyTo(target: string) {
  const asked: string[] = []
  const { hostname, port } = new URL(target)
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    const { pathname, search } = new URL(request.url!)
    void fetch(`${target}${pathname}${search}`, { method: 'POST', body: '{}' }).then(async (answer) =>
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text()),
    )
  })
  server.on('connect', (request, socket, head) => {
    asked.push(`CONNECT ${request.url}`)
    const onward = connect(Number(port), hostname, () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      onward.write(head)
      onward.pipe(socket).pipe(onward)
    })
    for (const one of [onward, socket]) one.on('error', () => onward.destroy())
  })
  return { ...(await onFreePort(server)), asked }
}

const MAIL = {
  to: ['a@b.example'],
  id: 'i',
  date: 0,
  subject: 's',
  text: 't',
  html: 'h',
  attachments: [{ filename: 'f', content: 'c', contentType: 'text/plain' }],
}

const mailTo = (port: number, more: Partial<MailTarget>): MailTarget => ({
  host: '127.0.0.1',
  port,
  secure: false,
  login: undefined,
  from: 'f@b.example',
  picture: false,
  recipients: () => [],
  ...more,
})

const call = (environment: Record<string, string>, ...flags: string[]) =>
  run([...flags, 'call', 'member/list', '{"limit":1}'], { FAULTLINE_APP_KEY: KEY, ...environment })

describe('a plain HTTP address', () => {
  test.each([
    'http://service.example',
    'http://10.0.0.7:8080/api',
    'http://127.0.0.1.evil.example',
    'http://localhost.evil.example',
    'http://0.0.0.0',
    'http://[::2]',
  ])('is rejected if it points to another machine: %s', async (baseUrl) => {
    const environment = { FAULTLINE_APP_KEY: KEY, FAULTLINE_BASE_URL: baseUrl }
    const [account] = loadConfig({}, environment).accounts
    expect(() => requireService(account!)).toThrow(ConfigError)
    const [allowed] = loadConfig({ insecure: true }, environment).accounts
    expect(requireService(allowed!)).toEqual({ baseUrl, appKey: KEY, insecure: true })
  })

  test.each([
    'http://127.0.0.1:1',
    'http://127.9.9.9',
    'http://localhost:1',
    'http://[::1]:1',
    'https://service.example',
  ])('is accepted for this machine, as is any HTTPS address: %s', (baseUrl) => {
    const [account] = loadConfig({}, { FAULTLINE_APP_KEY: KEY, FAULTLINE_BASE_URL: baseUrl }).accounts
    expect(requireService(account!).baseUrl).toBe(baseUrl)
  })

  test('is rejected by every command that calls the service, with a hint to `--insecure`', async () => {
    for (const command of [['sync'], ['check'], ['start'], ['call', 'member/list']]) {
      const { code, out, err } = await run(command, {
        FAULTLINE_APP_KEY: KEY,
        FAULTLINE_BASE_URL: 'http://service.example',
        FAULTLINE_WAREHOUSE: '/nonexistent/w.duckdb',
      })
      expect(code).toBe(2)
      expect(out + err).toContain('--insecure')
    }
  })
})

describe('an HTTPS address', () => {
  test('fails without a retry if the port speaks plain HTTP', async () => {
    await using server = await scriptedServer(PAGE)
    const { code, err } = await call({ FAULTLINE_BASE_URL: server.baseUrl.replace('http:', 'https:') })
    expect(code).toBe(1)
    expect(err).toMatch(
      /^error: member\/list: the service was not reached: the server does not accept this TLS connection \(.*\)\n {2}Check the port/,
    )
    expect(err).not.toMatch(/SSL routines|openssl|attempts/)
    const { port } = new URL(server.baseUrl)
    const mailing = sendMail(MAIL, mailTo(Number(port), { secure: true }), NEVER)
    await expect(mailing).rejects.toMatchObject({
      isTransient: false,
      message: expect.stringMatching(
        /did not accept the mail: the server does not accept this TLS connection/,
      ),
      next: expect.stringMatching(/Check the port/),
    })
  })

  test.skipIf(!hasOpenssl)(
    'is rejected with the reason if the certificate is untrusted or names another host',
    async () => {
      const { key, cert, path } = certificateOf('service.example')
      await using server = await onFreePort(createTlsServer({ key, cert }, (_, response) => response.end()))
      const baseUrl = server.baseUrl.replace('http:', 'https:')
      const { err } = await call({ FAULTLINE_BASE_URL: baseUrl })
      expect(err).toContain('NODE_EXTRA_CA_CERTS=')
      const trusting = { FAULTLINE_APP_KEY: KEY, FAULTLINE_BASE_URL: baseUrl, NODE_EXTRA_CA_CERTS: path }
      const other = await start(['call', 'member/list', '{"limit":1}'], trusting).ended
      expect(other.err).toMatch(/its certificate is for another host\n {2}Check the host/)
      const { hostname: host, port } = new URL(baseUrl)
      const message = { id: 'i', date: 0, body: '{}' }
      const hook = post(message, { url: new URL(`https://${host}:${port}/`), secret: undefined }, NEVER)
      const cure = { isTransient: false, next: expect.stringContaining('NODE_EXTRA_CA_CERTS=') }
      await expect(hook).rejects.toMatchObject(cure)
      const mailing = sendMail(MAIL, mailTo(Number(port), { secure: true }), NEVER)
      await expect(mailing).rejects.toMatchObject(cure)
    },
  )
})

describe('a proxy from the environment', () => {
  test('receives the requests that Faultline sends to the service', async () => {
    await using server = await scriptedServer(PAGE)
    await using proxy = await proxyTo(server.baseUrl)
    const there = { FAULTLINE_BASE_URL: 'http://service.example', HTTP_PROXY: proxy.baseUrl }
    const { code, err } = await call(there, '--insecure')
    expect([code, err]).toEqual([0, expect.stringMatching(/^request \w+\n$/)])
    expect(proxy.asked).toEqual([expect.stringMatching(/service\.example/)])
    expect(server.seen.length).toBe(1)
    const down = await call({ ...there, HTTP_PROXY: 'http://127.0.0.1:1' }, '--insecure')
    expect(down.err).toMatch(/^error: member\/list: the service was not reached: .*ECONNREFUSED/)
  })

  test.skipIf(!hasOpenssl)(
    'reaches an HTTPS service with a private certificate only if NODE_EXTRA_CA_CERTS trusts it',
    async () => {
      const { key, cert, path } = certificateOf('service.example')
      await using server = await onFreePort(
        createTlsServer({ key, cert }, (_, response) =>
          response
            .writeHead(200, { 'content-type': 'application/json' })
            .end(`{"request_id":"r","data":${EMPTY}}`),
        ),
      )
      await using proxy = await proxyTo(server.baseUrl)
      const there = { FAULTLINE_BASE_URL: 'https://service.example', HTTPS_PROXY: proxy.baseUrl }
      // Node reads NODE_EXTRA_CA_CERTS only at the start of a process.
      const given = { FAULTLINE_APP_KEY: KEY, ...there, NODE_EXTRA_CA_CERTS: path }
      const { code, err } = await start(['call', 'member/list', '{"limit":1}'], given).ended
      expect([code, err]).toEqual([0, expect.stringMatching(/^request \w+\n$/)])
      // The proxy sees the host name, but not the app key.
      expect(proxy.asked).toEqual(['CONNECT service.example:443'])
      const unknown = await call(there)
      expect(unknown.code).toBe(1)
      // Newer versions of Node add details to this message.
      expect(unknown.err).toMatch(
        /not signed by a trusted authority \(self-signed certificate\b.*\)\n.*NODE_EXTRA_CA_CERTS=/,
      )
    },
    300_000,
  )

  test('is not used for hosts in NO_PROXY, nor for this machine', async () => {
    await using server = await scriptedServer(PAGE)
    await using proxy = await proxyTo(server.baseUrl)
    const proxies = { HTTP_PROXY: proxy.baseUrl, HTTPS_PROXY: proxy.baseUrl, http_proxy: proxy.baseUrl }
    expect((await call({ ...proxies, FAULTLINE_BASE_URL: server.baseUrl })).code).toBe(0)
    await call(
      { ...proxies, FAULTLINE_BASE_URL: 'http://nobody.invalid', NO_PROXY: '.invalid' },
      '--insecure',
    )
    expect(proxy.asked).toEqual([])
  })

  test('is rejected without showing its password if its URL has no host', async () => {
    const { code, err } = await call({
      FAULTLINE_BASE_URL: 'https://service.example',
      HTTPS_PROXY: 'pr0xy:p4ss word@',
    })
    expect(code).toBe(2)
    expect(err).toContain('HTTPS_PROXY')
    expect(err).not.toMatch(/p4ss|bug/)
  })
})

describe('the credentials sent to a mail server', () => {
  const password = 'smtp-s3cret-word'
  const forms = [
    password,
    Buffer.from(password).toString('base64'),
    Buffer.from(`\0user\0${password}`).toString('base64'),
  ]

  /** A mail server that repeats its whole input and the password in an error message. */
  function echoing(refusesLogin: boolean) {
    const sent: string[] = []
    return smtpServer((command) => {
      sent.push(command)
      const echo = `${sent.join(' | ')} ${password}`
      if (command.startsWith('AUTH')) return refusesLogin ? `535 no: ${echo}` : undefined
      return command.startsWith('MAIL') ? `550 no: ${echo}` : undefined
    })
  }

  test.each([true, false])(
    'never appear in an error, even if the server repeats them (login refused: %j)',
    async (refusesLogin) => {
      const server = await echoing(refusesLogin)
      const target = mailTo(server.port, { login: { user: 'user', password } })
      const error = await sendMail(MAIL, target, NEVER).catch((cause: unknown) => cause)
      await server.close()
      expect(error).toBeInstanceOf(DeliveryError)
      const { message, next, cause } = error as DeliveryError
      expect(message).toMatch(refusesLogin ? /the login was refused \(535\)$/ : /550/)
      for (const form of forms) expect(JSON.stringify([message, next, String(cause)])).not.toContain(form)
    },
  )
})
