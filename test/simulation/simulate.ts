import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startSandbox } from '../../dist/sandbox/start-sandbox.js'
import { chanceOf } from './chance.ts'
import { Company } from './company.ts'
import type { Judge, Ran, Seen } from './judge.ts'
import { judges } from './judges/index.ts'
import { DAY, found, live } from './life.ts'
import { Machine } from './machine.ts'
import { OddService } from './odd-service.ts'
import { type NightPlan, nightOf, type SyncPlan } from './plan.ts'
import { type Delivery, Receiver } from './receiver.ts'
import type { Result } from './result.ts'

/** The start of every simulation. Some weeks later, daylight saving time begins in Europe. */
const START = Date.UTC(2026, 1, 20, 2) / 1_000

/** An analyst opens the published copy once in this many requests of a sync. */
const LOOKS = 24

/** A report is created and sent every nth night, and after a sync that was refused or planned to be killed. */
const REPORTED = 15

/** The options of a simulation, which fully determine it. */
export interface Simulation {
  readonly seed: number
  readonly nights: number
  readonly without?: ReadonlySet<string>
  readonly onNight?: (night: number, ran: readonly Ran[]) => void
}

export interface Verdict {
  readonly night: number
  readonly judge: string
  readonly words: readonly string[]
}

/** The outcome of a simulation, which ends after the first night with a verdict. */
export interface Outcome {
  readonly nights: number
  readonly syncs: Readonly<Record<string, number>>
  readonly verdicts: readonly Verdict[]
}

/** Seconds until an interrupted sync is started again. */
const AGAIN_S = 5

/** The number of records that may be missing at once before a sync asks a person. */
const BELIEVED = 10

/** Events of a whole night, which are too large for the changes during a sync. */
const NOT_AT_ONCE = ['storm', 'import into the past']

/** Simulates a company night after night. Judges check the files after each sync. */
export async function simulate({ seed, nights, without = new Set(), onNight }: Simulation): Promise<Outcome> {
  const company = new Company(START)
  found(company, seed, without)
  const services = await openServices(company, seed)
  const parent = mkdtempSync(join(tmpdir(), 'faultline-simulated-'))
  const receiver = await Receiver.open(parent)
  const { odd, service } = services
  const machine = new Machine(service, services.limited, odd, parent)
  const run = new Run(company, machine, receiver, service.appKey, judges())
  const syncs: Record<string, number> = {}
  try {
    for (let night = 1; night <= nights; night++) {
      const plan = nightOf(seed, night, without)
      company.now = services.advance(plan.seconds)
      live(company, seed, night, without)
      await run.prepare(plan)
      const back = plan.clockBack ?? 0
      services.advance(-back)
      services.setFaults(plan.sync.faults)
      await odd.begin(plan.sync.odd ?? {})
      run.refused = odd.refused
      const meanwhile = chanceOf(seed, night, 'meanwhile')
      let hours = 0
      const ran = [
        await run.sync(plan.night, plan.sync, () => {
          if (meanwhile.is(plan.sync.meanwhile ?? 0))
            live(company, seed, night + 0.5 + hours++ / 128, new Set([...without, ...NOT_AT_ONCE]))
        }),
      ]
      services.setFaults({})
      services.advance(back)
      odd.end()
      run.refused = odd.refused
      // An interrupted sync runs again in the same night. A failed sync runs again the next night, as with a schedule.
      if (['stopped', 'killed'].includes(ran[0]!.status)) {
        // The clock moves forward because two syncs never begin in the same second.
        company.now = services.advance(AGAIN_S)
        ran.push(await run.sync(night, { faults: {} }, () => {}))
      }
      for (const { status } of ran) syncs[status] = (syncs[status] ?? 0) + 1
      onNight?.(night, ran)
      if (run.verdicts.length > 0) return { nights: night, syncs, verdicts: run.verdicts }
    }
    return { nights, syncs, verdicts: [] }
  } finally {
    await services.close()
    await receiver.close()
    rmSync(parent, { recursive: true, force: true })
  }
}

/** Opens the company's service twice, without limits and (for processes) with limits, and a proxy in front of both. */
async function openServices(company: Company, seed: number) {
  const world = () => company.world()
  const service = await startSandbox({ seed, now: START, limits: false }, world)
  // The keys are equal, because the seed is the same.
  const limited = await startSandbox({ seed, now: START }, world)
  const odd = new OddService(company, seed)
  await odd.open(service, false)
  await odd.open(limited, true)
  return {
    service,
    limited,
    odd,
    advance(seconds: number) {
      limited.advance(seconds)
      return service.advance(seconds)
    },
    setFaults(faults: SyncPlan['faults']) {
      for (const one of [service, limited]) one.setFaults(faults)
    },
    async close() {
      for (const one of [service, limited, odd]) await one.close()
    },
  }
}

class Run {
  readonly verdicts: Verdict[] = []
  refused: ReadonlySet<string> = new Set()
  #history: Ran[] = []
  /** For the backup of each night, the syncs that led to its data. */
  readonly #backedUp = new Map<number, readonly Ran[]>()
  #isRestored = false
  /** Whether a sync has applied the current privacy rules to the stored rows. */
  #isClean = false

  constructor(
    readonly company: Company,
    readonly machine: Machine,
    readonly receiver: Receiver,
    readonly key: string,
    readonly judges: readonly Judge[],
  ) {}

  async prepare(plan: NightPlan): Promise<void> {
    const { machine } = this
    machine.ahead += plan.clockStep ?? 0
    if (plan.isWrittenTo) await machine.writeTo()
    machine.sinceDays = plan.sinceDays ?? machine.sinceDays
    if (plan.privacy !== undefined && plan.privacy !== machine.isPrivate) {
      machine.isPrivate = plan.privacy
      this.#isClean = false
    }
    const backup = plan.night - (plan.restore ?? 0)
    if (plan.restore !== undefined && (await machine.restore(backup))) {
      this.#history = [...this.#backedUp.get(backup)!]
      this.#isRestored = true
      this.#isClean = false
    }
  }

  async sync(night: number, plan: SyncPlan, onRequest: (request: number) => void): Promise<Ran> {
    const { company, machine } = this
    // A sync continues a run that was interrupted in the same night, and does not read its windows again.
    const before = this.#history.at(-1)
    const isContinued = before?.night === night && ['killed', 'stopped', 'failed'].includes(before.status)
    const began = isContinued ? before.began : company.moment
    machine.sights = []
    const { since } = machine
    const now = machine.since + machine.sinceDays * DAY
    const result: Result = await machine.sync({ ...plan, accepts: this.#accepts(plan) }, async (request) => {
      if (request % LOOKS === 5 && !machine.isWrittenTo && !plan.isHeldOpen) await machine.look()
      onRequest(request)
    })
    const ran: Ran = {
      night,
      began,
      ended: company.moment,
      now,
      since,
      plan,
      ...result,
      refused: this.refused,
    }
    this.#history.push(ran)
    if (machine.isPrivate && ['ok', 'partial', 'failed'].includes(ran.status)) this.#isClean = true
    const isReported = night % REPORTED === 0 || plan.kill !== undefined || ran.status === 'refused'
    const isKilled = chanceOf(night, began, 'report').is(0.2)
    const delivery =
      isReported && machine.isPublished && !machine.isWrittenTo
        ? await this.receiver.deliver(machine.warehouse, isKilled, monthOf(company.now - 40 * DAY))
        : undefined
    await this.#judge(ran, delivery)
    if (ran.published) {
      machine.backUp(night)
      this.#backedUp.set(night, [...this.#history])
    }
    return ran
  }

  /** Whether a person confirms that records are gone, after the previous sync asked for a confirmation. */
  #accepts({ faults, odd = {}, isPoorKey = false }: SyncPlan): boolean {
    const isAsked = this.#history.at(-1)?.words.some(({ next }) => next?.includes('--accept-vanished'))
    const green = this.#history.findLast(({ status }) => status === 'ok')
    const isWell = Object.keys({ ...faults, ...odd }).length === 0 && !isPoorKey
    return isWell && isAsked === true && this.company.mostGoneSince(green?.began ?? 0) > BELIEVED
  }

  async #judge(last: Ran, delivery: Delivery | undefined): Promise<void> {
    const { company, machine } = this
    const judged = async (rows: Seen['rows']) => {
      const seen: Seen = {
        company,
        history: this.#history,
        last,
        folder: machine.folder,
        warehouse: machine.warehouse,
        rows,
        secrets: [this.key, ...(machine.isPrivate && this.#isClean ? ['@mail.example'] : [])],
        isRestored: this.#isRestored,
        isWrittenTo: machine.isWrittenTo,
        most: machine.most,
        delivery,
        sights: machine.sights,
      }
      for (const judge of this.judges) {
        const words = await judge.look(seen)
        if (words.length > 0)
          this.verdicts.push({ night: last.night, judge: judge.name, words: words.slice(0, 5) })
      }
    }
    await machine.asking(judged)
    if (last.published) this.#isRestored = false
  }
}

const monthOf = (time: number) => new Date(time * 1_000).toISOString().slice(0, 7)
