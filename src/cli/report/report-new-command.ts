import { ConfigError } from '../../errors.ts'
import { shown } from '../../site/error-places.ts'
import type { Cli, Nothing } from '../command.ts'

export function reportNewCommand({ parent, runs }: Cli): void {
  parent
    .command('new [name...]')
    .usage('[options] <name>')
    .description('create a starter report')
    .addHelpText('after', '\nExample:\n  faultline report new my-team')
    .action(
      runs(async ({ console, overrides }, [name, ...more], unread) => {
        unread satisfies Nothing
        const { loadConfig } = await import('../../config/config.ts')
        const { writeStarter } = await import('../../report/report-template.ts')
        const { reports } = loadConfig(overrides)
        if (name === undefined)
          throw new ConfigError('The name of the report is missing.', {
            next: 'Add one: faultline report new my-team',
          })
        if (more.length > 0) {
          throw new ConfigError('The name of a report must be one word.', {
            next: `Join them: faultline report new ${[name, ...more].join('-')}`,
          })
        }
        if (parent.commands.some((one) => one.name() === name)) {
          const message = `"${name}" cannot be the name of a report: \`report ${name}\` is a command.`
          throw new ConfigError(message, { next: 'Choose another name.' })
        }
        if (reports === undefined) {
          throw new ConfigError('No folder for custom reports is configured.', {
            next: 'Set `reports` in config.json, such as "reports": "./my-reports".',
          })
        }
        console.out(shown(writeStarter(reports, name)))
        return 0
      }),
    )
}
