import { INT64 } from '../../../contract/int64.ts'
import type { WireShape } from '../../../contract/wire-shape.ts'
import type { Column, ColumnType } from '../../../resources/column.ts'
import { type Key, writtenKey } from './scan.ts'

/** How the value of a field is read. */
export const TEXT = 0
export const INTEGER = 1
export const TIME = 2
export const FLAG = 3
/** An object, kept as JSON. */
export const OBJECT = 4
/** A list of objects, kept as JSON. */
export const OBJECTS = 5
export const INTEGERS = 6
export const TEXTS = 7
/** A list whose elements are rows of the child table. */
export const CHILD = 8

/** A field of a record on the wire. */
export interface Field {
  readonly key: Key
  readonly kind: number
  /** Its column in the table's buffer; -1 for an integer that is looked at but not kept, or a child. */
  readonly column: number
  readonly mayBeNull: boolean
  readonly mayBeAbsent: boolean
  /** Bounds of an integer, both included, as numbers too. */
  readonly min: bigint
  readonly max: bigint
  readonly low: number
  readonly high: number
  readonly pattern: RegExp | undefined
  /** The field that followed it the last time, as a service writes its fields in the same order every time. */
  next: Field | undefined
  /** The number of the record in which it was met last. */
  metIn: number
}

/** The fields of a record; all that are not among them are unusual. */
export interface Fields {
  readonly byName: ReadonlyMap<string, Field>
  /** How many may not be absent. */
  readonly required: number
  /** The field that came first the last time. */
  first: Field | undefined
}

/**
 * The fields to be read from bytes into columns.
 * @param options.offset index of the first of these columns in the table's buffer
 * @param options.skip a column that is looked at but not kept
 * @param options.child the field that holds the child's rows
 * @returns undefined where the schema or a column asks for more than can be done
 */
export function fieldsOf(
  shape: WireShape,
  columns: readonly Column[],
  { offset, skip, child }: { offset: number; skip?: string; child?: string | undefined },
): Fields | undefined {
  if (shape.kind !== 'record') return undefined
  const kept = columns.filter((column) => column.name !== skip)
  const fields = new Map<string, Field>()
  for (const column of columns) {
    const [name, ...deeper] = column.path
    const inner = name !== undefined && Object.hasOwn(shape.fields, name) ? shape.fields[name]! : undefined
    if (inner === undefined || deeper.length > 0 || fields.has(name!)) return undefined
    const index = kept.indexOf(column)
    const field = fieldOf(name!, inner, column.type, index < 0 ? -1 : offset + index)
    if (field === undefined) return undefined
    fields.set(name!, field)
  }
  if (child !== undefined) fields.set(child, { ...bare(child, shape.fields[child]!), kind: CHILD })
  const required = [...fields.values()].filter((field) => !field.mayBeAbsent).length
  return { byName: fields, required, first: undefined }
}

function fieldOf(name: string, shape: WireShape, type: ColumnType, column: number): Field | undefined {
  const { shape: inner } = unwrap(shape)
  const kind = kindOf(inner, type)
  if (kind === undefined || (column < 0 && kind !== INTEGER)) return undefined
  return { ...bare(name, shape), kind, column }
}

function bare(name: string, shape: WireShape): Field {
  const { shape: inner, mayBeNull, mayBeAbsent } = unwrap(shape)
  const { min, max } = inner.kind === 'integer' ? inner : INT64
  return {
    key: writtenKey(name),
    kind: TEXT,
    column: -1,
    mayBeNull,
    mayBeAbsent,
    min,
    max,
    low: Number(min),
    high: Number(max),
    pattern: inner.kind === 'text' ? inner.pattern : undefined,
    next: undefined,
    metIn: -1,
  }
}

/** What lies inside, and which kinds of nothing may stand in its place. */
export function unwrap(shape: WireShape) {
  let inner = shape
  let [mayBeNull, mayBeAbsent] = [false, false]
  while (inner.kind === 'maybe') {
    if (inner.nothing === null) mayBeNull = true
    else mayBeAbsent = true
    inner = inner.inner
  }
  return { shape: inner, mayBeNull, mayBeAbsent }
}

/** How a value of this shape is read into a column of this type; undefined if it is not. */
function kindOf(shape: WireShape, type: ColumnType): number | undefined {
  if (shape.kind === 'list') return listKindOf(shape.element, type)
  switch (`${shape.kind} ${type}`) {
    case 'text VARCHAR':
      return TEXT
    case 'integer BIGINT':
      return INTEGER
    case 'integer TIMESTAMPTZ':
      return TIME
    case 'flag BOOLEAN':
      return FLAG
    case 'object JSON':
      return OBJECT
    default:
      return undefined
  }
}

function listKindOf(element: WireShape, type: ColumnType): number | undefined {
  if (element.kind === 'object' && type === 'JSON') return OBJECTS
  if (element.kind === 'text' && element.pattern === undefined && type === 'VARCHAR[]') return TEXTS
  if (element.kind === 'integer' && element.min === INT64.min && element.max === INT64.max)
    return type === 'BIGINT[]' ? INTEGERS : undefined
  return undefined
}
