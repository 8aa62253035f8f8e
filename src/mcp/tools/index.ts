import type { Tool } from '../tool.ts'
import { compareTool } from './compare-tool.ts'
import { describeTool } from './describe-tool.ts'
import { figureTool } from './figure-tool.ts'
import { incidentsTool } from './incidents-tool.ts'
import { listTool } from './list-tool.ts'
import { reportTool } from './report-tool.ts'
import { sqlTool } from './sql-tool.ts'

/** The tools, in the order in which they are met. */
export function toolsOf({ isMetricsOnly }: { readonly isMetricsOnly: boolean }): readonly Tool[] {
  const tools = [
    listTool(isMetricsOnly),
    describeTool(isMetricsOnly),
    ...[figureTool, compareTool, incidentsTool, reportTool],
    ...(isMetricsOnly ? [] : [sqlTool]),
  ]
  return tools as unknown as readonly Tool[]
}

/** Those whose answers are receipts, by their names. */
export function receiptTools(): ReadonlyMap<string, Tool> {
  const tools = toolsOf({ isMetricsOnly: true }).filter(({ receipt }) => receipt)
  return new Map(tools.map((tool) => [tool.name, tool]))
}
