import type { ColumnType as Kind } from 'kysely'
import type { ACCOUNT, BOOKKEEPING } from '../../definitions/tables.ts'
import type { KnownResource } from '../../resources/index.ts'
import type { Column } from '../../resources/resource.ts'
import type { ledger } from './ledger-tables.ts'

/** TypeScript type for each SQL type. All other SQL types become strings. */
interface Values {
  BIGINT: bigint
  UBIGINT: bigint
  DOUBLE: number
  BOOLEAN: boolean
  TIMESTAMPTZ: Date
  'BIGINT[]': bigint[]
  'VARCHAR[]': string[]
}
type Nullable<Read, Written> = Kind<Read | null, Written | null | undefined, Written | null>

/** An integer can be written as a number or bigint, and is read as a bigint. */
type Cell<Type> = Type extends keyof Values
  ? Nullable<Values[Type], Values[Type] extends bigint ? bigint | number : Values[Type]>
  : Nullable<string, string>

interface Named {
  readonly name: string
  readonly type: string
}

type Row<Columns extends readonly Named[]> = {
  [C in Columns[number] as C['name']]: Cell<C['type']>
}

type Account = Row<readonly [typeof ACCOUNT]>
type Bookkeeping = Account & Row<typeof BOOKKEEPING>

type Mains = { [R in KnownResource as R['table']]: Row<R['columns']> & Bookkeeping }

type Versioned = Extract<KnownResource, { versions: string }>
type Versions = {
  [R in Versioned as R['versions']]: Row<R['columns']> & Bookkeeping & { _replaced_at: Cell<'TIMESTAMPTZ'> }
}

type KeyRow<R extends KnownResource> = Row<readonly Extract<R['columns'][number], Column<R['key'][number]>>[]>
type ChildrenOf<R extends KnownResource> = R extends KnownResource
  ? {
      [C in R['children'][number] as C['table']]: Account &
        KeyRow<R> &
        Row<C['columns']> & { ordinal: Cell<'BIGINT'> }
    }
  : never
type Together<Union> = (Union extends unknown ? (one: Union) => void : never) extends (all: infer All) => void
  ? All
  : never

type Ledger = { [T in (typeof ledger)[number] as T['name']]: Row<T['columns']> }

/** Every table of the warehouse, for Kysely. New resources are included automatically. */
export type Database = Mains & Versions & Together<ChildrenOf<KnownResource>> & Ledger
