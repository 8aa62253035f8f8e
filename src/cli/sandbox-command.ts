import type { Cli, Nothing } from './command.ts'
import { parseCountOption } from './parse-count-option.ts'

export function sandboxCommand({ parent, runs }: Cli): void {
  parent
    .command('sandbox')
    .description('run a local, stateful emulator of the API for development and tests')
    .option('--port <n>', 'port on this machine (0: any free port)', '8080')
    .option('--incidents <n>', 'number of generated incidents')
    .option('--world <name>', 'scenario: meridian, storm, silence or test-services')
    .option('--seed <n>', 'seed of the generated data')
    .option('--account <id>', 'id of the account (all other ids depend on the seed)')
    .option('--now <time>', 'initial time of the sandbox: a date, or a time with a zone')
    .option('--stand', 'freeze the clock until it is set')
    .option('--env', 'print address and key as shell exports')
    .option('--data <dir>', 'serve records from this folder instead of generated ones')
    .option('--state <dir>', 'store writes in this folder for the next start')
    .option('--faults <spec>', 'probabilities of faults, such as status_500=0.1,reset=0.05')
    .option('--latency <ms>', 'delay of each response in milliseconds')
    .option('--no-limits', 'disable rate limits')
    .option('--limiter <kind>', 'rate limit windows: sliding (default) or fixed')
    .option('--no-retry-after', 'omit Retry-After from 429 responses')
    .option('--openapi', 'print the OpenAPI 3.1 document and exit')
    .addHelpText('after', HELP)
    .action(
      runs(async (context, { port, incidents, seed, account, now, stand, env, ...more }) => {
        const { world, data, state, faults, latency, limits, limiter, retryAfter, openapi, ...unread } = more
        unread satisfies Nothing
        const { parseMoment } = await import('../config/parse-timestamp.ts')
        const { parsePort } = await import('./local-server.ts')
        const { faultsOf, limiterOf, printOpenApi, serveSandbox } = await import('./serve-sandbox.ts')
        const at = parsePort('--port', port)
        if (openapi) return printOpenApi(context, at)
        return serveSandbox(context, env === true, {
          ...{ port: at, world, limits, retryAfter },
          incidents: parseCountOption('--incidents', incidents, 0),
          seed: parseCountOption('--seed', seed, 0),
          accountId: parseCountOption('--account', account, 0),
          now: now === undefined ? undefined : parseMoment(now, Math.floor(Date.now() / 1_000), '--now'),
          dataDir: data,
          stateDir: state,
          faults: faults === undefined ? undefined : faultsOf(faults),
          latencyMs: parseCountOption('--latency', latency, 0),
          clockRuns: !stand,
          limiter: limiter === undefined ? undefined : limiterOf(limiter),
        })
      }),
    )
}

const HELP = `
Prints {"base_url": …, "app_key": …, "now": …} as one line, then serves until stopped.
It listens on this machine only. The key is generated and has every permission. The clock runs; with --stand it is frozen
until it is set, so that the same requests get the same responses.

Faults: status_429, status_429_bare, status_500, reset, truncate, malformed, wrong_shape, wrong_payload,
repeat_cursor, duplicate_row, drop_row, shifted_page, foreign_account, empty, future_clock, ignored_window,
stale_cache, member_leaves, team_deleted and late_edit from 0 to 1, and slow_ms. The same seed
and requests get the same faults.

Control endpoints, for tests: GET /_sandbox/world, stats, audit, truth, state, clock, faults;
POST /_sandbox/clock {"advance_s": 3600} or {"now": …}, POST /_sandbox/faults {"status_500": 0.1}.
They respond only to programs on this machine that send the header Sec-Faultline-Sandbox: 1, never to web pages.

Examples:
  faultline sandbox --port 8080 --incidents 100000
  faultline sandbox --seed 7 --now 2026-03-01 --state out/sandbox
  faultline sandbox --world storm --now 2026-03-01 --stand
  faultline sandbox --env > sandbox.env & sleep 2; . ./sandbox.env
  faultline sandbox --openapi > openapi.json`
