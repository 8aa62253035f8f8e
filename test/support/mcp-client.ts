import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { environmentOf } from './process.ts'

const MAIN = fileURLToPath(new URL('../../dist/bin/faultline.js', import.meta.url))

// biome-ignore lint/suspicious/noExplicitAny: an answer is JSON of any shape
type Json = any

/** The answer of a tool. The text is parsed as JSON unless it is an error message. */
export interface Told {
  readonly isError: boolean
  readonly text: string
  readonly json: Json
}

export type McpClient = Awaited<ReturnType<typeof startMcp>>

/** Starts `faultline mcp`, and exchanges lines of JSON with the process. */
export async function startMcp(
  args: readonly string[],
  environment: Record<string, string> = {},
  cwd?: string,
) {
  const child = spawn(process.execPath, [MAIN, 'mcp', ...args], {
    env: environmentOf(environment),
    ...(cwd === undefined ? {} : { cwd }),
  })
  const waiting = new Map<number, (message: { result?: never; error?: unknown }) => void>()
  const lines: string[] = []
  let err = ''
  child.stderr.on('data', (chunk) => {
    err += chunk
  })
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line)
    const message = JSON.parse(line)
    waiting.get(message.id)?.(message)
    waiting.delete(message.id)
  })
  let count = 0
  const send = (message: object) => child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const ask = (method: string, params: object) => {
    const id = ++count
    const answer = new Promise<{ result?: Json; error?: Json }>((resolve, reject) => {
      waiting.set(id, resolve)
      void ended.then(() => reject(new Error(`it ended: ${err}`)))
    })
    send({ id, method, params })
    return answer
  }
  const opened = await ask('initialize', {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  })
  send({ method: 'notifications/initialized' })
  return {
    /** The server’s description of itself. */
    opened: opened.result as { instructions: string; capabilities: object },
    ask,
    send,
    ended,
    /** Calls a tool without waiting for the answer. */
    begin(name: string, given: object) {
      ask('tools/call', { name, arguments: given }).catch(() => undefined)
      return { requestId: count }
    },
    call: async (name: string, given: object = {}) =>
      toldBy(await ask('tools/call', { name, arguments: given })),
    /** Returns everything that the server wrote to standard output and standard error. */
    written: () => ({ out: lines, err }),
    process: child,
    async close() {
      child.stdin.end()
      return await ended
    },
  }
}

/** Reads the answer of a tool. An error of the protocol counts as an error of the tool. */
function toldBy({ result, error }: { result?: Json; error?: Json }): Told {
  if (error) return { isError: true, text: error.message, json: undefined }
  const { text } = result.content[0]
  return { isError: result.isError === true, text, json: result.isError ? undefined : JSON.parse(text) }
}
