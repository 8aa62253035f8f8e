import { type Account, type Machine, MOMENTS, type Step, WORDS } from './script.ts'
import type { Place, Stage } from './stage.ts'

/** Performs a step of a script. @throws if the event that the step waits for can no longer occur */
export async function act(stage: Stage, step: Step): Promise<void> {
  const [verb, ...words] = step.split(/:? /) as [string, ...string[]]
  await ACTS[verb]!(stage, ...words)
}

type Act = (stage: Stage, ...words: string[]) => Promise<void> | void

const on = (stage: Stage, machine: string | undefined): Place => stage.places.get(machine as Machine)!
const of = (account: string | undefined) => Number(account) as Account
const signal =
  (name: NodeJS.Signals): Act =>
  (stage, machine) =>
    void on(stage, machine).running!.process.kill(name)

const ACTS: Readonly<Record<string, Act>> = {
  begin(stage, machine, _, account) {
    const name = account === undefined ? undefined : on(stage, machine).names.get(of(account))!
    stage.start(machine as Machine, [
      'lake',
      'work',
      '--once',
      ...(name === undefined ? [] : ['--account', name]),
    ])
  },
  serve: (stage, machine) => stage.start(machine as Machine, ['lake', 'work']),
  end: async (stage, machine) => void (await on(stage, machine).running!.ended),
  async hold(stage, machine, _, number) {
    await sooner(stage.door.hold(machine as Machine, Number(number)), on(stage, machine), 'that request')
  },
  free: (stage, machine) => stage.door.free(machine as Machine),
  async cut(stage, machine, _, ...moment) {
    const place = on(stage, machine)
    if (moment.length === 0) return place.network.cut()
    const what = moment.join(' ') as keyof typeof MOMENTS
    await sooner(place.network.cutAt(MOMENTS[what]), place, what)
  },
  heal: (stage, machine) => on(stage, machine).network.heal(),
  // Checks only every 300 ms, because each query of PostgreSQL starts a process.
  wait: (stage) => stage.until(() => !stage.isLeased(), 'the end of all leases', undefined, 300),
  pause: signal('SIGSTOP'),
  resume: signal('SIGCONT'),
  stop: signal('SIGTERM'),
  async kill(stage, machine) {
    const { running } = on(stage, machine)
    running!.process.kill('SIGKILL')
    await running!.ended
    stage.door.free(machine as Machine)
  },
  clock(stage, _, machine, hours) {
    on(stage, machine).aheadMs = Number.parseInt(hours!, 10) * 3_600_000
  },
  restart: (stage) => stage.postgres.restart(),
  night: (stage) => stage.pass(1),
  minutes: (stage, minutes) => stage.pass(Number(minutes) / 1_440),
  remove: (stage, account) => stage.remove(of(account)),
  rename: (stage, account, _, machine) =>
    void on(stage, machine).names.set(of(account), `other name of ${account}`),
  forget: (stage, account, _, machine) => void on(stage, machine).names.delete(of(account)),
  maintain: async (stage) => void (await stage.command('lake', 'maintain')),
  repair: async (stage) => void (await stage.command('lake', 'maintain', '--repair')),
  reader: (stage, what) => (what === 'opens' ? stage.openReader() : stage.look()),
  async hear(stage, machine, ...words) {
    const running = on(stage, machine).running!
    const what = words.join(' ') as keyof typeof WORDS
    await stage.until(() => running.hear(WORDS[what]), `"${what}"`, running)
  },
}

/** Waits for an event. @throws if the machine's process ends first */
async function sooner(happens: Promise<void>, { running }: Place, what: string): Promise<void> {
  const ended = running!.ended.then(({ err }) => {
    throw new Error(`It ended before ${what}: ${err}`)
  })
  await Promise.race([happens, ended])
  ended.catch(() => undefined)
}
