import type { CommandUnknownOpts as Command, Option } from '@commander-js/extra-typings'
import { operations } from '../contract/index.ts'
import { resources } from '../resources/index.ts'

type Shell = 'bash' | 'zsh' | 'fish'

export function completionFor(root: Command, shell: Shell): string {
  return { bash, zsh, fish }[shell](root)
}

interface Line {
  readonly words: string
  readonly command: Command
  readonly options: readonly Option[]
}

function linesOf(root: Command, command = root, words = ''): Line[] {
  const options = [
    ...command.createHelp().visibleOptions(command),
    ...(command === root ? [] : globalOptions(root)),
  ]
  const below = command.commands.filter((one) => one.name() !== 'help')
  return [
    { words, command, options },
    ...below.flatMap((one) => linesOf(root, one, `${words} ${one.name()}`.trim())),
  ]
}

const globalOptions = (root: Command) => root.options.filter(({ long }) => long !== '--version')
const flagsOf = ({ options }: Line) =>
  [...new Set(options.flatMap(({ long, short }) => [long, short]))].filter(Boolean)
const subcommands = ({ command }: Line) => command.commands.filter((one) => one.name() !== 'help')
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`
const ARGUMENTS: Readonly<Record<string, readonly string[]>> = {
  call: Object.keys(operations),
  sync: resources.map(({ table }) => table),
}
const argumentsOf = ({ command, words }: Line): readonly string[] =>
  ARGUMENTS[words] ?? command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? [])
const choicesOf = ({ options }: Line, say: (choices: string) => string) =>
  options.flatMap(({ argChoices, long }) =>
    argChoices && long ? `${long}) ${say(argChoices.join(' '))};;` : [],
  )

function chosen(root: Command): string {
  const named = linesOf(root).filter(({ words }) => words !== '')
  const cases = named.map(
    ({ words }) => `      ${quoted(words.includes(' ') ? words : ` ${words}`)}) command=${quoted(words)};;`,
  )
  return cases.join('\n')
}

function bash(root: Command): string {
  const cases = linesOf(root).map((line) => {
    const names = subcommands(line).map((one) => one.name())
    const words = [...names, ...argumentsOf(line), ...flagsOf(line)].join(' ')
    const values = choicesOf(line, (choices) => `words='${choices}'`)
    return `    ${quoted(line.words)}) words=${quoted(words)}; case "$before" in ${values.join(' ')} esac;;`
  })
  return `# bash completion of faultline: faultline completion bash > ~/.local/share/bash-completion/completions/faultline
_faultline() {
  local current=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} command= words= word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$command $word" in
${chosen(root)}
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
  const cases = linesOf(root).map((line) => {
    const words = [
      ...subcommands(line).map((one) => `${one.name()}:${told(one.description())}`),
      ...argumentsOf(line),
      ...line.options.flatMap(({ long, description }) => (long ? `${long}:${told(description)}` : [])),
    ]
    const values = choicesOf(line, (choices) => `compadd -- ${choices}; return`)
    return `    ${quoted(line.words)}) case $before in ${values.join(' ')} esac; words_=(${words.map(quoted).join(' ')});;`
  })
  return `#compdef faultline
# zsh completion of faultline: faultline completion zsh > a folder of $fpath/_faultline
_faultline() {
  local before=\${words[CURRENT-1]} command= word
  local -a words_
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$command $word" in
${chosen(root)}
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

/** In zsh, an unescaped colon ends the name. */
const told = (description: string) => description.replaceAll(':', '\\:')

function fish(root: Command): string {
  const lines = linesOf(root).flatMap((line) => {
    const [first, second] = line.words.split(' ')
    const below = subcommands(line).map((one) => one.name())
    const seen = second ? `; and __fish_seen_subcommand_from ${second}` : ''
    const within = first ? `__fish_seen_subcommand_from ${first}${seen}` : '__fish_use_subcommand'
    const none = first && below.length > 0 ? `; and not __fish_seen_subcommand_from ${below.join(' ')}` : ''
    const when = `-n ${quoted(within + none)}`
    return [
      ...(line.words === '' ? [`complete -c faultline ${when} -f`] : []),
      ...argumentsOf(line).map((one) => `complete -c faultline ${when} -a ${one}`),
      ...subcommands(line).map(
        (one) => `complete -c faultline ${when} -a ${one.name()} -d ${quoted(one.description())}`,
      ),
      ...line.options.flatMap(({ long, description, argChoices, required }) => {
        if (!long) return []
        const values = argChoices ? ` -x -a ${quoted(argChoices.join(' '))}` : required ? ' -r' : ''
        return `complete -c faultline ${when} -l ${long.slice(2)}${values} -d ${quoted(description)}`
      }),
    ]
  })
  return `# fish completion of faultline: faultline completion fish > ~/.config/fish/completions/faultline.fish\n${lines.join('\n')}\n`
}
