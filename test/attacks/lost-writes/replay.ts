import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** One recorded operation on a file or name below the recorded folder (`record.c`). */
export interface Act {
  readonly name: string
  readonly file: number
  /** Byte offset of a write, or the new size of the file. */
  readonly at: number
  readonly bytes: Buffer
  readonly path: string
  /** The second name of a rename or a link. */
  readonly to: string
}

export function readLog(path: string): Act[] {
  const log = readFileSync(path)
  const acts: Act[] = []
  for (let place = 0; place < log.length; ) {
    const end = log.indexOf('\n', place)
    const [name, file, at, length, one, two] = log.toString('utf8', place, end).split('\t') as string[]
    const bytes = log.subarray(end + 1, end + 1 + Number(length))
    acts.push({ name: name!, file: Number(file), at: Number(at), bytes, path: one!, to: two! })
    place = end + 1 + bytes.length
  }
  return acts
}

/** The unit in which the operating system writes, in bytes. */
const SECTOR = 4_096

type Change = { readonly at: number; readonly bytes: Buffer } | { readonly size: number }

class File {
  /** The content as of the last sync. */
  durable: Buffer
  /** Changes since the last sync. A power cut keeps any part of them. */
  readonly pending: Change[] = []

  constructor(durable = Buffer.alloc(0)) {
    this.durable = durable
  }

  sync(): void {
    this.durable = this.whole()
    this.pending.length = 0
  }

  /** The content as processes see it. */
  whole(): Buffer {
    return this.after(() => this.pending.length)
  }

  /** The content after a power cut. Each sector, and the size, may have any number of the pending changes. */
  torn(random: () => number): Buffer {
    const luck = random()
    const moments = new Map<number, number>()
    return this.after((sector) => {
      if (luck < 0.25) return 0
      if (luck < 0.5) return this.pending.length
      if (!moments.has(sector)) moments.set(sector, Math.floor(random() * (this.pending.length + 1)))
      return moments.get(sector)!
    })
  }

  /** @param changesOf how many pending changes a sector has seen, with -1 for the size */
  private after(changesOf: (sector: number) => number): Buffer {
    const sizes = [this.durable.length]
    for (const change of this.pending) {
      const before = sizes.at(-1)!
      sizes.push('size' in change ? change.size : Math.max(before, change.at + change.bytes.length))
    }
    const found = Buffer.alloc(Math.max(...sizes))
    this.durable.copy(found)
    for (const [index, change] of this.pending.entries()) {
      const [from, to] =
        'size' in change
          ? [Math.min(change.size, sizes[index]!), sizes[index]!]
          : [change.at, change.at + change.bytes.length]
      for (let at = from; at < to; ) {
        const sector = Math.floor(at / SECTOR)
        const end = Math.min(to, (sector + 1) * SECTOR)
        if (changesOf(sector) > index) {
          if ('size' in change) found.fill(0, at, end)
          else change.bytes.copy(found, at, at - change.at, end - change.at)
        }
        at = end
      }
    }
    return found.subarray(0, sizes[changesOf(-1)]!)
  }
}

/** The names of a folder, on the disk and as processes see them. */
class Folder {
  readonly durable = new Map<string, Node>()
  readonly live = new Map<string, Node>()
}
type Node = File | Folder

/** One change to names, which happens completely or not at all. */
interface Naming {
  readonly names: readonly { readonly folder: Folder; readonly name: string; readonly node: Node | null }[]
  /** Whether a later sync makes a journaling file system write this change too. */
  isJournalled: boolean
}

/** New file names that survive a power cut: as few as POSIX allows, or what ext4, XFS and Btrfs guarantee. */
export type Names = 'posix' | 'journal'

/** A simulated disk that replays recorded file operations, and can lose power after any operation. */
export class Disk {
  private readonly root: Folder
  private readonly opened = new Map<number, Node>()
  private pending: Naming[] = []

  /** @param folder the initial content of the disk */
  constructor(folder: string) {
    this.root = load(folder)
  }

  do(act: Act): void {
    const { name, file, at, bytes, path, to } = act
    if (name === 'open' || name === 'openempty' || name === 'openfolder')
      this.opened.set(file, this.open(act))
    else if (name === 'close') this.opened.delete(file)
    else if (name === 'write') this.fileOf(file).pending.push({ at, bytes })
    else if (name === 'size') this.fileOf(file).pending.push({ size: at })
    else if (name === 'sync') this.sync(this.opened.get(file)!)
    else if (name === 'folder') this.name([path, new Folder()])
    else if (name === 'remove') this.name([path, null])
    else if (name === 'link') this.name([to, this.find(path)!])
    else if (name === 'rename') this.name([path, null], [to, this.find(path)!])
    else throw new Error(`An unknown act: ${name}`)
  }

  /** Copies the disk, as processes see it, into an existing folder. */
  whole(folder: string): void {
    store(
      folder,
      this.root,
      ({ live }) => live,
      (file) => file.whole(),
    )
  }

  /** Writes a possible state of the disk after a power cut into a folder. */
  cut(folder: string, names: Names, random: () => number): void {
    const found = this.namesAfterCut(names, random)
    // A file with two names is one file.
    const torn = new Map<File, Buffer>()
    const bytesOf = (file: File) => {
      if (!torn.has(file)) torn.set(file, file.torn(random))
      return torn.get(file)!
    }
    store(folder, this.root, (one) => found.get(one) ?? one.durable, bytesOf)
  }

  private open({ name, path }: Act): Node {
    const found = this.find(path)
    if (found instanceof File && name === 'openempty') found.pending.push({ size: 0 })
    if (found) return found
    const made = new File()
    this.name([path, made])
    return made
  }

  private fileOf(file: number): File {
    const found = this.opened.get(file)
    if (!(found instanceof File)) throw new Error(`Descriptor ${file} is no open file`)
    return found
  }

  private find(path: string): Node | undefined {
    if (path === '.') return this.root
    return this.folderOf(path).live.get(basename(path))
  }

  private folderOf(path: string): Folder {
    const found = this.find(dirname(path))
    if (!(found instanceof Folder)) throw new Error(`No folder for ${path}`)
    return found
  }

  private name(...names: [path: string, node: Node | null][]): void {
    const naming = names.map(([path, node]) => ({ folder: this.folderOf(path), name: basename(path), node }))
    for (const { folder, name, node } of naming) set(folder.live, name, node)
    this.pending.push({ names: naming, isJournalled: false })
  }

  private sync(node: Node): void {
    for (const naming of this.pending) naming.isJournalled = true
    if (node instanceof Folder) this.settle(node)
    else node.sync()
  }

  /** Marks all changes of names in a folder as written to the disk. */
  private settle(node: Folder): void {
    // A rename between folders also settles the earlier changes of the other folder.
    const upTo = new Map([[node, this.pending.length]])
    const settled = new Set<Naming>()
    for (let index = this.pending.length - 1; index >= 0; index--) {
      const naming = this.pending[index]!
      if (!naming.names.some(({ folder }) => (upTo.get(folder) ?? -1) > index)) continue
      settled.add(naming)
      for (const { folder } of naming.names) upTo.set(folder, Math.max(upTo.get(folder) ?? 0, index))
    }
    for (const naming of this.pending)
      if (settled.has(naming)) for (const one of naming.names) set(one.folder.durable, one.name, one.node)
    this.pending = this.pending.filter((naming) => !settled.has(naming))
  }

  /**
   * Keeps the first changes of each folder, up to a random number. Keeps a rename between two folders in both folders
   * or in neither.
   */
  private namesAfterCut(names: Names, random: () => number): Map<Folder, Map<string, Node>> {
    const found = new Map<Folder, Map<string, Node>>()
    const last = new Map<Folder, number>()
    for (const [index, naming] of this.pending.entries()) {
      for (const { folder } of naming.names) {
        if (!found.has(folder)) found.set(folder, new Map(folder.durable))
        if (naming.isJournalled && names === 'journal') last.set(folder, index)
      }
    }
    for (const folder of found.keys()) {
      const least = last.get(folder) ?? -1
      const [luck, some] = [random(), Math.floor(random() * (this.pending.length - least))]
      last.set(folder, luck < 0.25 ? least : luck < 0.6 ? this.pending.length : least + some)
    }
    for (const [index, { names: changes }] of this.pending.entries()) {
      const happened = changes.every(({ folder }) => index <= last.get(folder)!)
      for (const { folder, name, node } of changes) {
        if (happened) set(found.get(folder)!, name, node)
        else last.set(folder, -1)
      }
    }
    return found
  }
}

function set(names: Map<string, Node>, name: string, node: Node | null): void {
  if (node) names.set(name, node)
  else names.delete(name)
}

function load(path: string): Folder {
  const folder = new Folder()
  for (const name of readdirSync(path)) {
    const child = join(path, name)
    const node = statSync(child).isDirectory() ? load(child) : new File(readFileSync(child))
    for (const names of [folder.durable, folder.live]) names.set(name, node)
  }
  return folder
}

function store(
  path: string,
  folder: Folder,
  namesOf: (folder: Folder) => Map<string, Node>,
  bytesOf: (file: File) => Buffer,
): void {
  for (const [name, node] of namesOf(folder)) {
    const child = join(path, name)
    if (node instanceof File) writeFileSync(child, bytesOf(node))
    else {
      mkdirSync(child)
      store(child, node, namesOf, bytesOf)
    }
  }
}
