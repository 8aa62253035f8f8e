import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { freePort } from './free-port.ts'

/** Whether tests with a Redis server of their own can run here. */
export const hasRedis = spawnSync('redis-server', ['--version']).status === 0
if (!hasRedis) console.warn('Skipped: no redis-server on the path, so no limits are shared through Redis.')

export interface RedisServer {
  port: number
  /** With the password, where one was asked for. */
  url: string
  stop(): Promise<void>
}

/** A Redis server of its own that keeps nothing; on a free port unless one is given. */
export async function startRedis(options: { port?: number; password?: string } = {}): Promise<RedisServer> {
  const { port = await freePort(), password } = options
  const args = ['--port', `${port}`, '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no']
  const server = spawn('redis-server', [...args, ...(password ? ['--requirepass', password] : [])], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(server, 'close')
  for await (const chunk of server.stdout) if (`${chunk}`.includes('Ready to accept connections')) break
  server.stdout.resume()
  return {
    port,
    url: `redis://${password ? `:${encodeURIComponent(password)}@` : ''}127.0.0.1:${port}`,
    async stop() {
      server.kill('SIGKILL')
      await ended
    },
  }
}
