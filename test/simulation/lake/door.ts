import { request as ask, createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import type { Sandbox } from '../../../src/sandbox/start-sandbox.ts'
import type { Account, Machine } from './script.ts'

/** A request that arrived at the service of an account. */
export interface Came {
  /** Milliseconds of a monotonic clock. */
  readonly at: number
  readonly machine: Machine
  /** The number of the machine's process, from 1. */
  readonly process: number
  readonly account: Account
}

/**
 * A proxy in front of the services of all accounts. Records which process sent each request, and can hold back a
 * machine's requests.
 */
export class Door {
  readonly came: Came[] = []
  readonly port: number
  readonly #server: Server
  readonly #held = new Map<Machine, { at: number; seen: number; reached(): void; waiting: (() => void)[] }>()

  private constructor(server: Server) {
    this.#server = server
    this.port = (server.address() as AddressInfo).port
  }

  /** @param processOf returns the number of a machine's current process */
  static async open(
    services: ReadonlyMap<Account, Sandbox>,
    processOf: (machine: Machine) => number,
  ): Promise<Door> {
    let door: Door | undefined
    const server = createServer(async (request, response) => {
      const [, machine, account, path] = /^\/(\w)\/(\d+)(\/.*)$/.exec(request.url!) as unknown as string[]
      const [who, whose] = [machine as Machine, Number(account) as Account]
      door!.came.push({ at: performance.now(), machine: who, process: processOf(who), account: whose })
      const body = await buffer(request)
      await door!.#pass(who)
      const { port } = services.get(whose)!
      const { headers, method } = request
      ask({ port, method, path, headers }, (answer) => {
        response.writeHead(answer.statusCode!, answer.headers)
        answer.pipe(response)
      })
        .on('error', () => response.destroy())
        .end(body)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    door = new Door(server)
    return door
  }

  /**
   * Returns the address of an account's service for a machine. All machines use the same host name, because the host
   * name is part of a job's identity.
   */
  baseUrl(machine: Machine, account: Account): string {
    return `http://127.0.0.1:${this.port}/${machine}/${account}`
  }

  /**
   * Holds back the requests of the machine from this number on. Resolves when the request with this number has arrived.
   */
  hold(machine: Machine, at: number): Promise<void> {
    return new Promise((reached) => this.#held.set(machine, { at, seen: 0, reached, waiting: [] }))
  }

  free(machine: Machine): void {
    for (const go of this.#held.get(machine)?.waiting ?? []) go()
    this.#held.delete(machine)
  }

  #pass(machine: Machine): Promise<void> {
    const held = this.#held.get(machine)
    if (held === undefined || ++held.seen < held.at) return Promise.resolve()
    held.reached()
    return new Promise((go) => held.waiting.push(go))
  }

  close(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }
}
