import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'

export interface Received {
  from: string
  to: string[]
  /** Headers and body, unchanged. */
  raw: string
}

export interface SmtpServer {
  readonly port: number
  readonly mails: Received[]
  /** The logins, as `user:password`. */
  readonly logins: string[]
  /** Commands in order, without the content of mails. */
  readonly commands: string[]
  close(): Promise<void>
}

/** A minimal mail server (RFC 5321). `answer` can replace a reply, or end the connection with null. */
export function smtpServer(
  answer: (command: string, count: number) => string | null | undefined = () => undefined,
): Promise<SmtpServer> {
  const mails: Received[] = []
  const logins: string[] = []
  const commands: string[] = []
  const sockets = new Set<Socket>()
  const server: Server = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket)).on('error', () => {})
    let mail: Received = { from: '', to: [], raw: '' }
    let inData = false
    let rest = ''
    const say = (text: string) => socket.write(`${text}\r\n`)
    const on = (line: string): unknown => {
      commands.push(line)
      const verb = line.split(' ', 1)[0]!.toUpperCase()
      const other = answer(line, commands.filter((each) => each.startsWith(verb)).length)
      if (other === null) return socket.destroy()
      if (other !== undefined) return say(other)
      if (verb === 'EHLO') return say('250-test\r\n250-AUTH PLAIN\r\n250 8BITMIME')
      if (verb === 'STARTTLS') return say('502 not here')
      if (verb === 'AUTH') {
        logins.push(Buffer.from(line.split(' ')[2]!, 'base64').toString().split('\0').slice(1).join(':'))
        return say('235 welcome')
      }
      if (verb === 'MAIL') mail = { from: /<(.*?)>/.exec(line)![1]!, to: [], raw: '' }
      if (verb === 'RCPT') mail.to.push(/<(.*?)>/.exec(line)![1]!)
      if (verb === 'QUIT') return socket.end('221 bye\r\n')
      if (verb === 'DATA') {
        inData = true
        return say('354 go on')
      }
      return say('250 ok')
    }
    socket.setEncoding('utf8').on('data', (chunk) => {
      rest += chunk
      for (;;) {
        const end = inData ? rest.indexOf('\r\n.\r\n') : rest.indexOf('\r\n')
        if (end === -1) return
        const text = rest.slice(0, end)
        rest = rest.slice(end + (inData ? 5 : 2))
        if (!inData) on(text)
        else {
          inData = false
          const other = answer('.', mails.length + 1)
          if (other === undefined) mails.push({ ...mail, raw: text })
          say(other ?? '250 taken')
        }
      }
    })
    say(answer('GREETING', 1) ?? '220 test')
  })
  return listening(server, sockets).then((listens) => ({ ...listens, mails, logins, commands }))
}

async function listening(
  server: Server,
  sockets: ReadonlySet<Socket>,
): Promise<Pick<SmtpServer, 'port' | 'close'>> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((closed) => {
        for (const socket of sockets) socket.destroy()
        server.close(() => closed())
      }),
  }
}
