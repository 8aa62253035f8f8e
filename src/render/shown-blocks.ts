import type { Block, ReportResult } from './result.ts'

/** What a page says when no incident started in its period. */
export const nothing = 'No incidents in this period.'

/**
 * The blocks that are shown. In a period without incidents these are the tables that have rows all the same, such as
 * what is open since before, each under its heading; sentences and charts would speak of nothing.
 */
export function shownBlocks({ empty, blocks }: Pick<ReportResult, 'empty' | 'blocks'>): readonly Block[] {
  if (!empty) return blocks
  const isTable = (block: Block) => block.kind === 'table' && block.data.rows.length > 0
  return blocks.filter((block, index) => {
    if (block.kind !== 'heading') return isTable(block)
    const next = blocks.findIndex((each, at) => at > index && each.kind === 'heading')
    return blocks.slice(index + 1, next < 0 ? undefined : next).some(isTable)
  })
}
