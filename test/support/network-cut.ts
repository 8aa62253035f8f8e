import { type AddressInfo, createServer, Socket } from 'node:net'

/** A network connection that tests can cut. Sockets then stay open, but no bytes arrive. */
export interface Network {
  /** The port that the machine uses for the server. */
  readonly port: number
  /** Cuts the network before bytes that match reach the server. Resolves after the cut. */
  cutAt(bytes: RegExp): Promise<void>
  /** Cuts the network after bytes that match have reached the server. Resolves when the server has answered them. */
  cutAfter(bytes: RegExp): Promise<void>
  cut(): void
  /** Reconnects, and delivers the bytes that were held back. */
  heal(): void
  close(): void
}

/** Maximum length of a match in bytes. */
const LONGEST = 100

export async function networkTo(port: number): Promise<Network> {
  const open = new Set<Socket>()
  const held: (() => void)[] = []
  let isCut = false
  let trigger: { bytes: RegExp; isAfter: boolean; done: () => void } | undefined
  const server = createServer((machine) => {
    const other = new Socket()
    const deliver = (act: () => void) => void (isCut ? held.push(act) : act())
    // PostgreSQL waits a minute for the first bytes of a connection, even when it is stopping.
    deliver(() => other.connect(port, '127.0.0.1'))
    // The end of the previous chunk of data, because a match can be split between two chunks.
    let before = ''
    const pass = (from: Socket, to: Socket, toServer: boolean) => {
      open.add(from)
      from.on('data', (bytes) => {
        if (toServer && trigger) {
          const text = before + bytes.toString('latin1')
          before = text.slice(-LONGEST)
          if (trigger.bytes.test(text)) {
            const { isAfter, done } = trigger
            trigger = undefined
            isCut = true
            before = ''
            if (isAfter) {
              other.once('data', () => done())
              return void to.write(bytes)
            }
            done()
          }
        }
        deliver(() => to.write(bytes))
      })
      from.on('close', () => deliver(() => to.destroy())).on('error', () => {})
    }
    pass(machine, other, true)
    pass(other, machine, false)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const cutWhen = (bytes: RegExp, isAfter: boolean) =>
    new Promise<void>((done) => {
      trigger = { bytes, isAfter, done }
    })
  return {
    port: (server.address() as AddressInfo).port,
    cutAt: (bytes) => cutWhen(bytes, false),
    cutAfter: (bytes) => cutWhen(bytes, true),
    cut() {
      isCut = true
    },
    heal() {
      isCut = false
      for (const act of held.splice(0)) act()
    },
    close() {
      server.close()
      for (const socket of open) socket.destroy()
    },
  }
}
