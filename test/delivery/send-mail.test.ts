import { afterEach, describe, expect, test } from 'vitest'
import type { MailTarget } from '../../src/config/delivery-targets.ts'
import { type OutgoingMail, sendMail } from '../../src/delivery/send-mail.ts'
import { DeliveryError } from '../../src/errors.ts'
import { toMail } from '../../src/render/to-mail.ts'
import { type SmtpServer, smtpServer } from '../support/mail-server.ts'
import { hostile, sample } from '../support/report-result.ts'

let server: SmtpServer | undefined
afterEach(() => server?.close())

const never = new AbortController().signal

function target(changes: Partial<MailTarget> = {}): MailTarget {
  return {
    host: '127.0.0.1',
    port: server!.port,
    secure: false,
    login: undefined,
    from: 'Faultline <faultline@company.example>',
    picture: false,
    recipients: () => [],
    ...changes,
  }
}

function letter(changes: Partial<OutgoingMail> = {}): OutgoingMail {
  return {
    ...toMail(sample(), null),
    to: ['a@company.example', 'b@company.example'],
    id: 'abc123',
    date: Date.parse('2026-11-21T06:30:00Z'),
    attachments: [
      {
        filename: 'weekly.html',
        content: '<!doctype html>\n<p>page ü</p>\n',
        contentType: 'text/html; charset=utf-8',
      },
    ],
    ...changes,
  }
}

/** Decodes the base64 and quoted-printable parts of a mail. */
function decoded(raw: string): string {
  const base64 = [...raw.matchAll(/Content-Transfer-Encoding: base64[\s\S]*?\r\n\r\n([A-Za-z0-9+/=\r\n]+)/g)]
  const printable = [
    ...raw.matchAll(/Content-Transfer-Encoding: quoted-printable[\s\S]*?\r\n\r\n([\s\S]*?)\r\n--/g),
  ]
  return [
    ...base64.map(([, text]) => Buffer.from(text!, 'base64').toString()),
    ...printable.map(([, text]) =>
      Buffer.from(
        text!
          .replace(/=\r\n/g, '')
          .replace(/=([0-9A-F]{2})/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
        'latin1',
      ).toString(),
    ),
  ].join('\n')
}

test('a report mail contains the text and the attached page', async () => {
  server = await smtpServer()
  await sendMail(letter(), target(), never)
  const [mail] = server.mails
  expect(mail).toMatchObject({
    from: 'faultline@company.example',
    to: ['a@company.example', 'b@company.example'],
  })
  const raw = mail!.raw
  expect(raw).toMatch(/^Message-ID: <abc123@company\.example>\r$/m)
  expect(raw).toMatch(/^Date: Sat, 21 Nov 2026 06:30:00 \+0000\r$/m)
  expect(raw).toMatch(/^Auto-Submitted: auto-generated\r$/m)
  expect(raw).toMatch(/Content-Type: text\/html; charset=utf-8; name=weekly\.html/)
  const text = decoded(raw)
  expect(text).toContain('<p>page ü</p>')
  expect(text).toContain('The report is attached.')
  expect(text).toContain('<main')
})

test('a hostile report title cannot add a mail header or a recipient', async () => {
  server = await smtpServer()
  await sendMail(letter({ subject: hostile }), target(), never)
  const { raw, to } = server.mails[0]!
  const head = raw.slice(0, raw.indexOf('\r\n\r\n'))
  expect(to).toEqual(['a@company.example', 'b@company.example'])
  expect(head).not.toMatch(/^bcc:/im)
  const names = [...head.matchAll(/^([\w-]+):/gm)].map(([, name]) => name)
  expect(new Set(names).size).toBe(names.length)
})

test('the mail client logs in to the server if a password is configured', async () => {
  server = await smtpServer()
  await sendMail(letter(), target({ login: { user: 'faultline', password: 's3cret' } }), never)
  expect(server.logins).toEqual(['faultline:s3cret'])
})

describe('a refusal by the mail server', () => {
  test.each([
    ['a full mailbox, temporarily', 'RCPT', '450 later', true],
    ['unknown recipients', 'RCPT', '550 nobody', false],
    ['a rejected sender', 'MAIL', '553 not you', false],
    ['a mail refused temporarily', '.', '451 busy', true],
    ['a mail refused permanently', '.', '554 spam', false],
    ['a closed connection at the greeting', 'GREETING', '421 closed', true],
    ['a disconnect after the sender', 'MAIL', null, true],
  ])('is reported as temporary or permanent: %s', async (_, refused, answer, isTransient) => {
    server = await smtpServer((command) => (command.split(' ')[0] === refused ? answer : undefined))
    const error = await sendMail(letter(), target(), never).catch((one: unknown) => one)
    expect(error).toBeInstanceOf(DeliveryError)
    expect(error).toMatchObject({ isTransient })
    expect((error as DeliveryError).message).toContain(`127.0.0.1:${server.port}`)
    expect(server.mails).toEqual([])
  })

  test('is reported with the address of the rejected recipient', async () => {
    server = await smtpServer((command) => (command.includes('b@company') ? '550 nobody' : undefined))
    const sent = sendMail(letter(), target(), never)
    await expect(sent).rejects.toThrow(/rejected 1 of 2 recipients: b@company\.example/)
    expect(server.mails[0]?.to).toEqual(['a@company.example'])
  })
})

test('a refused connection to the mail server is a transient error', async () => {
  server = await smtpServer()
  const { port } = server
  await server.close()
  await expect(sendMail(letter(), target({ port }), never)).rejects.toMatchObject({ isTransient: true })
})

test('no login or mail is sent to another machine over an unencrypted connection', async () => {
  server = await smtpServer()
  // The server is this machine, but its address is not recognized as local.
  const sent = sendMail(letter(), target({ host: '0.0.0.0', login: { user: 'u', password: 'p' } }), never)
  await expect(sent).rejects.toMatchObject({
    isTransient: false,
    next: expect.stringContaining('unencrypted'),
  })
  expect(server.commands.filter((command) => /^(AUTH|MAIL)/.test(command))).toEqual([])
})

test('sending a mail ends when the signal aborts', async () => {
  server = await smtpServer((command) => (command === 'GREETING' ? '' : undefined))
  const stopping = new AbortController()
  const sent = sendMail(letter(), target(), stopping.signal)
  setTimeout(() => stopping.abort(new Error('stopped')), 50)
  await expect(sent).rejects.toThrow()
})

test('sending a mail ends at the time limit, even if the server is still responding', async () => {
  server = await smtpServer((command) => (command === '.' ? '250-wait' : undefined))
  const sent = sendMail(letter(), target(), never, 300)
  await expect(sent).rejects.toMatchObject({
    isTransient: true,
    message: expect.stringContaining('did not accept the mail within 0.3 s'),
  })
})
