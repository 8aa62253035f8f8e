import type { CommandUnknownOpts as Command, Option } from '@commander-js/extra-typings'
import { operations } from '../contract/index.ts'
import { resources } from '../resources/index.ts'

export function completionFor(root: Command, shell: 'bash' | 'zsh'): string {
  return { bash, zsh }[shell](root)
}

/** A command with the words that call it, such as `report list`. */
interface Line {
  readonly words: string
  readonly options: readonly Option[]
  readonly below: readonly Command[]
  /** Known values of the command's arguments. */
  readonly values: readonly string[]
}

function linesOf(root: Command, command = root, words = ''): Line[] {
  const global = command === root ? [] : root.options.filter(({ long }) => long !== '--version')
  const below = command.commands.filter((one) => one.name() !== 'help')
  const values = command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? [])
  const options = [...command.createHelp().visibleOptions(command), ...global]
  return [
    { words, options, below, values: VALUES[words] ?? values },
    ...below.flatMap((one) => linesOf(root, one, `${words} ${one.name()}`.trim())),
  ]
}

const VALUES: Readonly<Record<string, readonly string[]>> = {
  call: Object.keys(operations),
  sync: resources.map(({ table }) => table),
}

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`
const choicesOf = ({ options }: Line, say: (choices: string) => string) =>
  options
    .flatMap(({ argChoices, long }) =>
      argChoices && long ? [`${long}) ${say(argChoices.join(' '))};;`] : [],
    )
    .join(' ')

/** Returns the branches of a shell `case` that find the command in the words before the cursor. */
function casesOf(lines: readonly Line[]): string {
  const named = lines.filter(({ words }) => words !== '')
  return named
    .map(
      ({ words }) => `      ${quoted(words.includes(' ') ? words : ` ${words}`)}) command=${quoted(words)};;`,
    )
    .join('\n')
}

function bash(root: Command): string {
  const lines = linesOf(root)
  const cases = lines.map((line) => {
    const flags = line.options.flatMap(({ long, short }) => [long, short])
    const names = line.below.map((one) => one.name())
    const words = [...names, ...line.values, ...new Set(flags.filter(Boolean))].join(' ')
    const values = choicesOf(line, (choices) => `words='${choices}'`)
    return `    ${quoted(line.words)}) words=${quoted(words)}; case "$before" in ${values} esac;;`
  })
  return `# bash completion of faultline: faultline completion bash > ~/.local/share/bash-completion/completions/faultline
_faultline() {
  local current=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} command= words= word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$command $word" in
${casesOf(lines)}
    esac
  done
  case "$command" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _faultline faultline
`
}

function zsh(root: Command): string {
  const lines = linesOf(root)
  const cases = lines.map((line) => {
    const words = [
      ...line.below.map((one) => `${one.name()}:${told(one.description())}`),
      ...line.values,
      ...line.options.flatMap(({ long, description }) => (long ? `${long}:${told(description)}` : [])),
    ]
    const values = choicesOf(line, (choices) => `compadd -- ${choices}; return`)
    return `    ${quoted(line.words)}) case $before in ${values} esac; words_=(${words.map(quoted).join(' ')});;`
  })
  return `#compdef faultline
# zsh completion of faultline: faultline completion zsh > a folder of $fpath/_faultline
_faultline() {
  local before=\${words[CURRENT-1]} command= word
  local -a words_
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$command $word" in
${casesOf(lines)}
    esac
  done
  case "$command" in
${cases.join('\n')}
  esac
  _describe 'faultline' words_ || _files
}
if [ "$funcstack[1]" = _faultline ]; then _faultline "$@"; else compdef _faultline faultline; fi
`
}

/** Escapes colons, because in zsh a colon separates a name from its description. */
const told = (description: string) => description.replaceAll(':', '\\:')
