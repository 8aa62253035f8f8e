import type { StatementProcess } from '../../warehouse/worker/statement-process.ts'
import type { Tool } from '../tool.ts'
import { compareTool } from './compare-tool.ts'
import { describeTool } from './describe-tool.ts'
import { figureTool } from './figure-tool.ts'
import { incidentsTool } from './incidents-tool.ts'
import { listTool } from './list-tool.ts'
import { reportTool } from './report-tool.ts'
import { sqlTool } from './sql-tool.ts'

/** Returns the tools in the order in which clients list them. Without `statements`, omits the tool `sql`. */
export function toolsOf(statements?: StatementProcess): readonly Tool[] {
  const isMetricsOnly = statements === undefined
  const tools = [
    listTool(isMetricsOnly),
    describeTool(isMetricsOnly),
    ...[figureTool, compareTool, incidentsTool, reportTool],
    ...(isMetricsOnly ? [] : [sqlTool(statements)]),
  ]
  return tools as unknown as readonly Tool[]
}

/** Returns the tools whose answers are receipts, by name. */
export function receiptTools(): ReadonlyMap<string, Tool> {
  const tools = toolsOf().filter(({ receipt }) => receipt)
  return new Map(tools.map((tool) => [tool.name, tool]))
}
