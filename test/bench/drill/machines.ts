import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from 'node:child_process'

/** A network namespace with an address of its own, or where that is not possible this machine. */
export interface Machine {
  readonly name: string
  readonly address: string
  /** Starts a program there; its process is the one returned. */
  spawn(program: string, args: readonly string[], options?: SpawnOptions): ChildProcess
}

export interface Machines {
  /** Whether they are network namespaces. */
  readonly areApart: boolean
  machine(name: string): Machine
  /** Takes the namespaces away again. */
  remove(): void
}

const BRIDGE = 'faultline0'
/** Of nobody else, as far as can be known. */
const NET = '10.213.77'

/** Machines on one bridge, which this process is on too; it needs root and `ip`. Says so where it makes none. */
export function makeMachines(names: readonly string[]): Machines {
  const made: string[] = []
  const ip = (words: string) => {
    const done = spawnSync('ip', words.split(' '), { encoding: 'utf8' })
    if (done.status !== 0) throw new Error(`ip ${words}: ${done.stderr || done.error?.message}`)
  }
  const remove = () => {
    for (const undo of made.splice(0).reverse()) spawnSync('ip', undo.split(' '))
  }
  try {
    ip(`link add ${BRIDGE} type bridge`)
    made.push(`link delete ${BRIDGE}`)
    ip(`addr add ${NET}.1/24 dev ${BRIDGE}`)
    ip(`link set ${BRIDGE} up`)
    for (const [index, name] of names.entries()) {
      const netns = `faultline-${name}`
      ip(`netns add ${netns}`)
      made.push(`netns delete ${netns}`)
      ip(`link add flt${index} type veth peer name eth0 netns ${netns}`)
      ip(`link set flt${index} master ${BRIDGE} up`)
      ip(`-n ${netns} addr add ${NET}.${index + 2}/24 dev eth0`)
      ip(`-n ${netns} link set eth0 up`)
      ip(`-n ${netns} link set lo up`)
    }
  } catch (error) {
    remove()
    if (/File exists/.test(String(error)))
      throw new Error(
        `${BRIDGE} is there: a drill runs, or one was killed (ip netns delete faultline-…; ip link delete ${BRIDGE}).`,
      )
    console.log(`No network namespaces here, machines are processes: ${(error as Error).message.trim()}`)
    const here = (name: string) => ({ name, address: '127.0.0.1', spawn: start })
    return { areApart: false, machine: here, remove() {} }
  }
  return {
    areApart: true,
    machine: (name) => ({
      name,
      address: `${NET}.${names.indexOf(name) + 2}`,
      spawn: (program, args, options) =>
        start('ip', ['netns', 'exec', `faultline-${name}`, program, ...args], options),
    }),
    remove,
  }
}

const start = (program: string, args: readonly string[], options: SpawnOptions = {}) =>
  spawn(program, args, options)
