import { type OperationName, operationList, operations } from '../contract/index.ts'
import type { Operation } from '../contract/operation.ts'
import type { Member } from '../contract/organization.ts'
import { ConfigError } from '../errors.ts'
import type { Clock } from './clock.ts'
import type { Journal, JournalEntry } from './journal.ts'
import type { Identity } from './keys.ts'
import { invalidParameter, Refusal } from './responses.ts'
import { channelHandlers } from './routes/channel-routes.ts'
import type { Handler } from './routes/handler.ts'
import { incidentHandlers } from './routes/incident-routes.ts'
import { monitHandlers } from './routes/monit-routes.ts'
import { onCallHandlers } from './routes/on-call-routes.ts'
import { organizationHandlers } from './routes/organization-routes.ts'
import type { World } from './store/world.ts'

/** The handler of each operation. A missing handler is a type error. */
const handlers: { readonly [Name in OperationName]: Handler<Name> } = {
  ...incidentHandlers,
  ...onCallHandlers,
  ...channelHandlers,
  ...monitHandlers,
  ...organizationHandlers,
}

export type Service = ReturnType<typeof createService>

export function createService(world: World, clock: Clock, seed: number, journal: Journal) {
  const byPath = new Map(operationList.map((operation) => [operation.path, operation]))

  function run(operation: Operation, request: unknown, caller: Member): unknown {
    // The compiler cannot tell that this handler accepts the request of this operation.
    const handler = handlers[operation.name as OperationName] as unknown as Handler<never>
    return handler(request as never, { world, clock, caller, seed })
  }

  return {
    /** Finds an operation by path, regardless of the method. */
    find: (path: string) => byPath.get(path),

    /** @throws Refusal (RouteNotFound or MethodNotAllowed) */
    route(method: string, path: string): Operation {
      const operation = byPath.get(path)
      if (operation === undefined) throw new Refusal('RouteNotFound')
      if (operation.method !== method)
        throw new Refusal('MethodNotAllowed', undefined, { allow: operation.method })
      return operation
    },

    /** Validates and runs the operation, then journals and applies its change. @throws Refusal before any change */
    perform(operation: Operation, input: unknown, by: Identity & { requestId: string }): unknown {
      const { caller, keyName, requestId } = by
      const request = validate(operation, input)
      const outcome = run(operation, request, caller)
      if (typeof outcome !== 'function') return outcome
      journal.append({
        operation: operation.name as OperationName,
        key: keyName,
        member_id: caller.member_id,
        at: clock.now(),
        request_id: requestId,
        audited: operation.audited,
        request,
      })
      return outcome()
    },

    /** Applies an accepted write again. @throws ConfigError if the write is impossible with this data */
    replay(entry: JournalEntry): void {
      clock.set(entry.at)
      try {
        const caller = world.account.callers.get(entry.member_id)
        if (caller === undefined) throw new Error(`unknown member ${entry.member_id}`)
        const outcome = run(operations[entry.operation], entry.request, caller)
        if (typeof outcome === 'function') outcome()
      } catch (cause) {
        throw new ConfigError(
          `the journal's ${entry.operation} of request ${entry.request_id} does not fit this world`,
          { cause, next: 'Specify an empty state directory, or the data that the journal belongs to.' },
        )
      }
    },
  }
}

/** Validates the input of an operation. @throws Refusal (InvalidParameter) that names the field */
function validate(operation: Operation, input: unknown): unknown {
  const result = operation.request.safeParse(input)
  if (result.success) return result.data
  const path = result.error.issues[0]?.path ?? []
  const place = path.findIndex((part) => typeof part === 'number')
  throw invalidParameter((place < 0 ? path : path.slice(0, place)).join('.'))
}
