import {
  request as ask,
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { parseJson } from '../../dist/contract/json.js'
import type { Sandbox } from '../../dist/sandbox/start-sandbox.js'
import { chanceOf } from './chance.ts'
import type { Company } from './company.ts'
import type { Twist } from './odd-answers.ts'
import { KINDS, type OddKind } from './odd-kinds.ts'

export interface Asked {
  /** The operation, such as `incident/list`. */
  readonly operation: string
  readonly body: Readonly<Record<string, unknown>>
  /** The number of this request among the requests of one simulated night, from 1. */
  readonly count: number
}

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  /** Whether the sandbox cut the connection in the middle of the response. */
  readonly isCut?: boolean
}

/** The kinds of abnormal responses in a night, each with a number that selects the affected record. */
export type OddPlan = Readonly<Partial<Record<OddKind, number>>>

/** A proxy that makes responses of the sandbox unusual, for example a refused record or a page that is too large. */
export class OddService {
  /** The kinds in effect. One that lasts several nights is kept, so that it affects the same record each night. */
  readonly #twists = new Map<string, Twist>()
  readonly #servers: Server[] = []
  readonly #addresses = new Map<Sandbox, string>()
  #tonight: readonly Twist[] = []
  #count = 0

  constructor(
    readonly company: Company,
    readonly seed: number,
  ) {}

  /**
   * Opens a port for a service.
   * @param isPatient whether clients wait in real time; then the proxy sends only permanent refusals, after which
   * clients do not wait
   */
  async open(service: Sandbox, isPatient: boolean): Promise<void> {
    const server = createServer((request, response) => {
      this.#pass(service, request, isPatient).then(
        ({ status, headers, text, isCut }) => {
          if (isCut) {
            response.writeHead(status, headers).write(text, () => request.socket.destroy())
            return
          }
          const { 'content-length': _, connection: __, ...rest } = headers
          response.writeHead(status, { ...rest, 'content-length': Buffer.byteLength(text) }).end(text)
        },
        // The sandbox cut the connection before its response.
        () => request.socket.destroy(),
      )
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    this.#servers.push(server)
    this.#addresses.set(service, `http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  }

  /** Returns the address at which clients reach a service: the proxy, or on a normal night the service itself. */
  addressOf(service: Sandbox): string {
    return this.#tonight.length === 0 ? service.baseUrl : this.#addresses.get(service)!
  }

  /** Starts these kinds of abnormal responses, and ends all others except permanent ones. */
  async begin(odd: OddPlan): Promise<void> {
    const names = Object.entries(odd).map(([name, draw]) => [name as OddKind, `${name} ${draw}`] as const)
    for (const [key, twist] of this.#twists) {
      if (twist.isForGood || names.some(([, other]) => other === key)) continue
      twist.end?.()
      await twist.close?.()
      this.#twists.delete(key)
    }
    for (const [name, key] of names) {
      if (this.#twists.has(key)) continue
      const chance = chanceOf(Math.floor(odd[name]! * 1e9), 0, name)
      const twist: Twist | undefined = await KINDS[name].begin(this.company, chance, this.seed)
      if (twist) this.#twists.set(key, twist)
    }
    this.#tonight = [...this.#twists.values()]
    this.#count = 0
  }

  /** Ends the abnormal responses of this night, except for permanently refused records. */
  end(): void {
    this.#tonight = this.#tonight.filter(({ isForGood }) => isForGood)
  }

  /** Records that the service refuses now, each as its table and its id. */
  get refused(): ReadonlySet<string> {
    return new Set(this.#tonight.flatMap(({ refused = [] }) => refused))
  }

  async close(): Promise<void> {
    await Promise.all([...this.#twists.values()].map(({ close }) => close?.()))
    for (const server of this.#servers) {
      server.closeAllConnections()
      server.close()
    }
  }

  async #pass(service: Sandbox, request: IncomingMessage, isPatient: boolean): Promise<Answer> {
    const { pathname, searchParams } = new URL(request.url!, 'http://service')
    const bytes = await buffer(request)
    const sent =
      request.method === 'GET' ? Object.fromEntries(searchParams) : parseJson(bytes.toString() || '{}')
    const operation = pathname.slice(1)
    const twists = this.#tonight.filter(({ isForGood }) => !isPatient || isForGood)
    let asked: Asked = { operation, body: sent as Asked['body'], count: ++this.#count }
    for (const { ask: change } of twists) asked = { ...asked, body: change?.(asked) ?? asked.body }
    const port = twists.map(({ port: other }) => other?.(asked)).find((other) => other !== undefined)
    const body = asked.body === sent ? bytes : Buffer.from(stringify(asked.body))
    let answer = await forward(port ?? service.port, request, body)
    if (answer.isCut) return answer
    for (const { answer: change } of twists) answer = change?.(asked, answer) ?? answer
    return answer
  }
}

/** Converts bigints, which JSON.stringify rejects. Large ids in requests are parsed as bigints. */
const stringify = (body: unknown) =>
  JSON.stringify(body, (_, value: unknown) => (typeof value === 'bigint' ? Number(value) : value))

function forward(port: number, request: IncomingMessage, body: Buffer): Promise<Answer> {
  const { url, method, headers } = request
  return new Promise((resolve, reject) => {
    ask(
      { port, host: '127.0.0.1', path: url, method, headers: { ...headers, 'content-length': body.length } },
      (answer) => {
        const parts: Buffer[] = []
        const end = (isCut: boolean) => () =>
          resolve({
            status: answer.statusCode!,
            headers: answer.headers,
            text: Buffer.concat(parts).toString(),
            isCut,
          })
        answer
          .on('data', (part: Buffer) => parts.push(part))
          .on('end', end(false))
          .on('error', end(true))
      },
    )
      .on('error', reject)
      .end(body)
  })
}
