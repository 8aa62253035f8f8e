import { Argument, type Cli, type Nothing } from './command.ts'

export function completionCommand({ parent, runs }: Cli): void {
  parent
    .command('completion')
    .description('print the completion script for a shell: bash or zsh')
    .addArgument(new Argument('<shell>').choices(['bash', 'zsh']))
    .addHelpText(
      'after',
      '\nExample:\n  faultline completion bash > ~/.local/share/bash-completion/completions/faultline',
    )
    .action(
      runs(async ({ console }, shell, unread) => {
        unread satisfies Nothing
        const { completionFor } = await import('./completion.ts')
        await console.write(completionFor(parent, shell))
        return 0
      }),
    )
}
