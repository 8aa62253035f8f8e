import { expect, test } from 'vitest'
import { configJsonSchema } from '../../src/config/config-file.ts'

/** The parts of a JSON Schema that the reference uses. */
interface Schema {
  readonly description?: string
  readonly default?: unknown
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: Schema | boolean
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
}

/**
 * One row for each configuration field. A dot separates a nested field from its parent, and `[]` marks an element of a
 * list.
 */
function rowsOf({ properties = {} }: Schema, prefix = ''): string[] {
  return Object.entries(properties).flatMap(([name, field]) => {
    const preset = field.default
    const isPlain = preset !== undefined && (typeof preset !== 'object' || preset === null)
    const cells = [
      `\`${prefix}${name}\``,
      isPlain ? `\`${JSON.stringify(preset)}\`` : '',
      field.description ?? '',
    ]
    const row = `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
    return [row, ...[field, ...(field.anyOf ?? [])].flatMap((each) => inside(each, `${prefix}${name}`))]
  })
}

function inside(field: Schema, path: string): string[] {
  const rest = typeof field.additionalProperties === 'object' ? field.additionalProperties : {}
  return [
    ...rowsOf(field, `${path}.`),
    ...rowsOf(field.items ?? {}, `${path}[].`),
    ...rowsOf(rest, `${path}.NAME.`),
  ]
}

/** Fields that most companies never need. They are in a separate table. */
const ADVANCED = new RegExp(
  [
    /accountId|accounts\[\]\.(accountId|quota|since|schedule)|lake\..*|publishSql/,
    /sync\.(lookbackDays|windowDays|concurrency|jobs|memoryLimit)/,
    /reporting\.(memoryLimit|timeout|cohort|thresholds\..*|quality\..*|teamZones|lists)/,
    /reporting\.targets\.(defaults|Ok\b.*|.*Hours)|reporting\.workingHours\.NAME\.timezone/,
    /schedule\.(catchUp|healthFile|retention\..*)|delivery\.\w+\.picture/,
  ]
    .map(({ source }) => `^\\| \`(${source})\` `)
    .join('|'),
)

test('src/config/README.md lists every configuration field (update with `npx vitest -u`)', async () => {
  const rows = rowsOf(configJsonSchema() as Schema).filter((row) => !row.includes('$schema'))
  const text = [
    '# Fields of config.json',
    '',
    'Every field is optional. Editors show these descriptions if `config.schema.json` is next to the file, where `faultline init`',
    'writes it. [config.example.json](../../config.example.json) contains what most companies set. Paths are relative to the folder',
    'of the configuration file.',
    '',
    '| field | default | meaning |',
    '|---|---|---|',
    ...rows.filter((row) => !ADVANCED.test(row)),
    '',
    '## Advanced',
    '',
    'Most companies never set these.',
    '',
    '| field | default | meaning |',
    '|---|---|---|',
    ...rows.filter((row) => ADVANCED.test(row)),
    '',
    '## The file',
    '',
    'The file is `config.json`, `config.jsonc`, `config.yaml` or `config.yml`, in JSON (comments are permitted) or YAML. All errors',
    'are reported together, with line numbers. `faultline config show` prints the effective values and their origin.',
    '',
    '`FAULTLINE_CONFIG` sets the path of the file. `FAULTLINE_BASE_URL`, `FAULTLINE_WAREHOUSE`, `FAULTLINE_APP_KEY`,',
    '`FAULTLINE_PRIVACY_SALT`, `FAULTLINE_LAKE_PASSWORD`, `FAULTLINE_S3_SECRET`,',
    '`FAULTLINE_SMTP_PASSWORD`, `FAULTLINE_WEBHOOK_URL` and `FAULTLINE_WEBHOOK_SECRET` override its',
    'fields. Set these variables in the environment, or in a `.env` file next to the configuration file. The environment overrides `.env`.',
    'Command-line options override both.',
    '',
  ].join('\n')
  await expect(text).toMatchFileSnapshot('../../src/config/README.md')
})
