/** Allowed imports. A room is a folder of `src/`. */

/** Files of `src/` itself, which every room may import. Each file imports only the files before it. */
export const ground = ['errors', 'effects', 'package-path', 'version', 'check-options', 'external-errors']

/**
 * Rooms that each room may import, in addition to itself and the files in `ground`. Rooms above `report` and `judge`,
 * and `render`, also import the sentences of `page`. A sentence that `render` uses imports only `render`.
 */
export const mayImport: Record<string, readonly string[]> = {
  contract: [],
  render: ['page/sentences'],
  'page/sentences': ['judge', 'render', 'report'],
  sandbox: ['contract'],
  resources: ['contract'],
  // Settings of several rooms, with their defaults and parsers.
  settings: ['contract'],
  client: ['contract', 'settings'],
  config: ['contract', 'settings'],
  // Definitions of views and macros, which do not depend on stored rows.
  definitions: ['resources', 'settings'],
  warehouse: ['contract', 'definitions', 'resources', 'settings'],
  lake: ['definitions', 'resources', 'settings', 'warehouse'],
  sync: ['client', 'contract', 'definitions', 'resources', 'settings', 'warehouse'],
  report: ['definitions', 'render', 'settings', 'warehouse'],
  judge: ['definitions', 'render', 'report', 'warehouse'],
  page: ['definitions', 'judge', 'page/sentences', 'render', 'report', 'warehouse'],
  explore: ['definitions', 'judge', 'page', 'page/sentences', 'render', 'report', 'settings', 'warehouse'],
  mcp: [
    ...['definitions', 'judge', 'page', 'page/sentences', 'render', 'report', 'resources', 'settings'],
    'warehouse',
  ],
  // The caller passes the scheduled work as functions, so `schedule` does not import other rooms.
  schedule: ['config', 'settings'],
  site: ['page', 'render', 'report', 'settings', 'warehouse'],
  delivery: ['config', 'page/sentences', 'render', 'settings', 'site', 'warehouse'],
  // The interface for programs, which must work without the command line.
  sdk: [
    ...['client', 'config', 'contract', 'definitions', 'judge', 'lake', 'page', 'render'],
    ...['report', 'resources', 'sandbox', 'settings', 'sync', 'warehouse'],
  ],
  // The command line may import everything.
  cli: [
    ...['client', 'config', 'contract', 'definitions', 'delivery', 'explore', 'judge', 'mcp'],
    ...[
      'page',
      'page/sentences',
      'render',
      'report',
      'resources',
      'sandbox',
      'schedule',
      'sdk',
      'settings',
      'site',
      'sync',
      'warehouse',
    ],
  ],
}

/** Rooms that are loaded by `import()`, so that other commands start faster, and the rooms that load them. */
export const wings: Record<string, readonly string[]> = {
  explore: ['cli'],
  lake: ['sdk'],
  mcp: ['cli'],
  sandbox: ['cli', 'sdk'],
}

/** The rooms that may import each dependency. */
export const doors: Record<string, readonly string[]> = {
  undici: ['client', 'delivery'],
  bottleneck: ['client'],
  'p-limit': ['sync', 'cli'],
  '@duckdb/node-api': ['definitions', 'warehouse', 'lake'],
  kysely: ['lake', 'warehouse', 'sync', 'sdk'],
  'node-cron': ['schedule', 'settings'],
  croner: ['settings'],
  nodemailer: ['delivery'],
  'playwright-core': ['delivery'],
  'markdown-it': ['report', 'render'],
  yaml: ['settings'],
  'd3-array': ['render'],
  'd3-scale': ['render'],
  'd3-shape': ['render'],
  'd3-time-format': ['render'],
  'string-width': ['render', 'cli'],
  '@modelcontextprotocol/server': ['mcp'],
  '@commander-js/extra-typings': ['cli'],
  commander: ['cli'],
  '@clack/prompts': ['cli'],
  zod: ['contract', 'resources', 'client', 'sandbox', 'render', 'report', 'config', 'settings', 'cli', 'mcp'],
  'node:http': ['sandbox', 'cli'],
  'node:https': [],
}

/**
 * Folders of `src/` that may contain SQL, each with the reason. Other SQL belongs in `sql/` or `reports/`, except in the
 * files of `writesSql`.
 */
export const sqlRooms = {
  definitions: 'completes the SQL of sql/ by what is configured',
  warehouse: 'makes tables and loads them',
  lake: 'the same, in a lake and its catalog',
  sync: 'inside of Kysely',
}

/** Files of other folders that may contain SQL. All other files read relations by name (`from runs`). */
export const writesSql: Record<string, string> = {
  'cli/run-demo.ts': 'an example of what people type',
  'cli/sql/sql-command.ts': 'an example of what people type',
  'cli/sql/run-sql.ts': 'an example of what people type',
  'cli/export/export-warehouse.ts': 'the manifest, by what an exporter can ask',
  'explore/statements.ts': 'the conditions of an address, which differ from click to click',
  'explore/chart-statements.ts': 'the conditions of an address, which differ from click to click',
  'report/report-template.ts': 'the text of a new report',
  'report/metrics/metric-sql.ts': 'the query of a metric, as an author would write it',
  'report/metrics/grouped-metric-sql.ts': 'the query of a metric, as an author would write it',
  'report/drop-unconfigured-blocks.ts': 'whether a relation that an author names has rows',
  'report/metrics/own-measures.ts': 'the rows of a measure, as an author would write them',
  'report/metrics/check-conditions.ts': 'a condition that an author wrote, alone',
  'report/ask-queries.ts': 'keeps what the queries of reports/ say',
  'report/incidents/read-rows.ts': 'the conditions of numbers, which differ from report to report',
  'judge/figures.ts': 'hands results to the queries of reports/frame/',
}

/** Modules that exist only for a lake or only for a warehouse file, and the files that may import them. */
const ofOne = [
  { what: /^settings\/lake\.ts$/, by: /^(config|settings|lake)\// },
  { what: /^lake\//, by: /^(lake\/|sdk\/resolve-storage\.ts$)/ },
  { what: /^warehouse\/file\/published-file\.ts$/, by: /^(warehouse\/|sdk\/resolve-storage\.ts$)/ },
]

export function mayKnow(path: string, target: string): boolean {
  return ofOne.every(({ what, by }) => !what.test(target) || by.test(path))
}

/** Whether a text checks if it was given a lake or a file. */
export function asksFileOrLake(text: string): boolean {
  return /\btypeof\s+[\w.]*\b(warehouse|place|location|lake)\s*[!=]==?\s*'string'|\binstanceof\s+Lake\b|'(lake|catalogue|published)'\s+in\s|\bisLake\b|\b(files|warehouse|place)\.lake\b/.test(
    text,
  )
}
