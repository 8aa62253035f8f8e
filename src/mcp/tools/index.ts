import type { Tool } from '../tool.ts'
import { describeTool } from './describe-tool.ts'
import { figureTool } from './figure-tool.ts'
import { listTool } from './list-tool.ts'
import { sqlTool } from './sql-tool.ts'

/** The tools, in the order in which they are met. */
export function toolsOf({ isMetricsOnly }: { readonly isMetricsOnly: boolean }): readonly Tool[] {
  const tools = [listTool(isMetricsOnly), describeTool(isMetricsOnly), figureTool]
  return [...tools, ...(isMetricsOnly ? [] : [sqlTool])] as unknown as readonly Tool[]
}
