import { afterAll } from 'vitest'
import { parseJson, stringifyJson } from '../../src/contract/json.ts'
import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/start-sandbox.ts'
import { expectPromised } from './contract-check.ts'
import { sideDoor } from './side-door.ts'

/** Parsed JSON. Tests read responses of every shape. */
// biome-ignore lint/suspicious/noExplicitAny: the compiler cannot know what a service sends
export type Json = any

/** Saturday, 21 November 2026, 12:00 UTC, the time of every sandbox in tests. */
export const NOW = 1_795_262_400
export const DAY = 86_400

export interface Answer {
  status: number
  body: Json
  headers: Headers
}

export interface Talk extends Omit<Sandbox, 'advance' | 'truth'> {
  post(path: string, body: unknown, key?: string): Promise<Answer>
  get(path: string, parameters?: Record<string, string>, key?: string): Promise<Answer>
  key(name: string): string
  advance(seconds: number): Promise<void>
  truth(): Promise<Json[]>
  control(name: string): Promise<Json>
}

/** Starts a sandbox for the tests of a file. Without faults and imports, responses must match the OpenAPI document. */
export async function open(options: SandboxOptions = {}): Promise<Talk> {
  const sandbox = await startSandbox({ now: NOW, incidents: 1_500, limits: false, ...options })
  afterAll(() => sandbox.close())
  return talk(sandbox, options.dataDir === undefined && options.faults === undefined)
}

/** @param isStrict whether each successful response must match the OpenAPI document */
export function talk(sandbox: Sandbox, isStrict = true): Talk {
  const { baseUrl, appKey } = sandbox
  const send = async (url: string, init: RequestInit): Promise<Answer> => {
    const response = await fetch(url, init)
    return { status: response.status, body: parseJson(await response.text()), headers: response.headers }
  }
  const promised = async (path: string, answer: Promise<Answer>): Promise<Answer> => {
    const { status, body } = await answer
    if (isStrict && status === 200) expectPromised(path, body.data)
    return answer
  }
  const control = async (name: string) => parseJson(await (await sideDoor(baseUrl, name)).text())
  return {
    ...sandbox,
    control,
    post: (path, body, key = appKey) =>
      promised(
        path,
        send(`${baseUrl}${path}?app_key=${encodeURIComponent(key)}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: typeof body === 'string' ? body : stringifyJson(body),
        }),
      ),
    get: (path, parameters = {}, key = appKey) =>
      promised(path, send(`${baseUrl}${path}?${new URLSearchParams({ ...parameters, app_key: key })}`, {})),
    key: (name) => sandbox.appKeys.find((one) => one.name === name)?.key ?? '',
    async advance(seconds) {
      await sideDoor(baseUrl, 'clock', { advance_s: seconds })
    },
    async truth() {
      const text = await (await sideDoor(baseUrl, 'truth')).text()
      return text
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => parseJson(line))
    },
  }
}

/** Reads a list to its end by cursor. `between` runs after each page except the last. */
export async function readAll(
  service: Talk,
  request: Record<string, unknown>,
  between?: () => Promise<void>,
) {
  const items: Json[] = []
  let cursor: string | undefined
  for (;;) {
    const { status, body } = await service.post('/incident/list', { ...request, search_after_ctx: cursor })
    if (status !== 200) throw new Error(`incident/list answered ${status} ${JSON.stringify(body)}`)
    items.push(...body.data.items)
    if (!body.data.has_next_page) return { items, total: body.data.total as number }
    cursor = body.data.search_after_ctx
    await between?.()
  }
}
