/** Entry point of the package `faultline`. Functions that need DuckDB load it on their first call. */
export type { CallOptions, Client, ClientOptions } from '../client/client.ts'
export type { Reply } from '../client/send.ts'
export type { OperationName, RequestOf, ResponseOf, ToleratedOf } from '../contract/index.ts'
export type { Int64 } from '../contract/int64.ts'
export { parseJson, stringifyJson } from '../contract/json.ts'
export {
  ConfigError,
  ContractError,
  type ContractIssue,
  DeliveryError,
  FaultlineError,
  MachineError,
  NetworkError,
  ReportError,
  ServiceError,
  WarehouseError,
} from '../errors.ts'
export type { Comparison, EventChange } from '../judge/event-verdict.ts'
export type { ReportResult } from '../render/result.ts'
export type { AppKey, Sandbox, SandboxOptions } from '../sandbox/index.ts'
export type { Progress, RunSummary } from '../sync/run-sync.ts'
export type { Cell } from '../warehouse/read/cell.ts'
export type { QueryLimits } from '../warehouse/read/query-limits.ts'
export type { Database } from '../warehouse/schema/database.ts'
export { type CompareEvent, type CompareOptions, compare } from './compare-events.ts'
export { createClient } from './create-client.ts'
export { createSandbox } from './create-sandbox.ts'
export { type OpenOptions, type OpenWarehouse, openWarehouse } from './open-warehouse.ts'
export type { LakeOptions } from './parse-location.ts'
export { type MadeReport, type ReportOptions, runReport } from './run-report.ts'
export { type SyncOptions, type SyncResult, sync } from './sync.ts'
