import type { ColumnType as Kind } from 'kysely'
import type { ACCOUNT, BOOKKEEPING } from '../../definitions/tables.ts'
import type { KnownResource } from '../../resources/index.ts'
import type { Column } from '../../resources/resource.ts'
import type { ledger } from './ledger-tables.ts'

/** Type of a column's values in TypeScript. Integers can be written as number or bigint, and are returned as bigint. */
type Cell<Type> = Type extends 'BIGINT' | 'UBIGINT'
  ? Kind<bigint | null, bigint | number | null | undefined, bigint | number | null>
  : Type extends 'DOUBLE'
    ? Kind<number | null, number | null | undefined, number | null>
    : Type extends 'BOOLEAN'
      ? Kind<boolean | null, boolean | null | undefined, boolean | null>
      : Type extends 'TIMESTAMPTZ'
        ? Kind<Date | null, Date | null | undefined, Date | null>
        : Type extends 'BIGINT[]'
          ? Kind<bigint[] | null, bigint[] | null | undefined, bigint[] | null>
          : Type extends 'VARCHAR[]'
            ? Kind<string[] | null, string[] | null | undefined, string[] | null>
            : Kind<string | null, string | null | undefined, string | null>

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

/** Every table of the warehouse, for Kysely. Derived from the resources, so a new resource needs no change here. */
export type Database = Mains & Versions & Together<ChildrenOf<KnownResource>> & Ledger
