import { shorten } from './clean.ts'
import { countText, type FormatContext, format, plain, textOf } from './format.ts'
import { type Child, h, type Markup, tableHead, tableRow } from './html.ts'
import type { Behind, ListedIncident } from './result/incident-lists.ts'
import { isSafe } from './text.ts'

/** The lists of a page, and the rules that show the one whose name stands in the address. */
export interface BehindHtml {
  readonly section: Markup
  readonly style: string
}

const TITLE_MOST = 90

/**
 * The incidents behind the figures: every list by its name, and each incident once, with marks of the lists it is in. The
 * address `#week-2026-11-09` shows that one. Worst first of every list in turn, as many as fit.
 * @param room bytes
 * @param csv address of the file with all incidents; null where there is none
 */
export function behindHtml(
  behind: Behind,
  { room, csv, context }: { room: number; csv: string | null; context: FormatContext },
): BehindHtml {
  const { lists, incidents, all, isCut } = behind
  const style = styleOf(lists)
  const rest = room - bytesOf(sectionHtml([])) - style.length
  const chosen = choose(behind, rest, (one) => bytesOf(rowHtml(one, context)))
  return { section: sectionHtml(incidents.filter((_, index) => chosen.has(index))), style }

  function sectionHtml(kept: readonly ListedIncident[]): Markup {
    const file = csv === null ? 'all_incidents.csv' : h('a', { href: csv }, 'all_incidents.csv')
    return h(
      'section',
      { class: 'behind', 'aria-label': 'Incidents behind the figures' },
      h('h2', {}, 'Incidents behind the figures'),
      h('p', { class: 'more' }, 'Columns, rows and names lead to their incidents. These are the lists.'),
      lists.map(({ id, label, count }, index) => {
        const shown = kept.filter((one) => one.lists.includes(index)).length
        const name = `${shorten(label, 60)}: `
        if (shown === count) return h('a', { id, href: `#${id}` }, name, countText(count))
        const part = h('i', {}, `${countText(shown)} of `)
        return h('a', { id, href: `#${id}` }, name, part, countText(count))
      }),
      h(
        'p',
        { class: 'close' },
        h('a', { href: '#_' }, 'Close'),
        ' · where not all are here, the worst and longest are; all are in ',
        file,
        isCut && `, up to the newest ${all.rows.length.toLocaleString('en')}`,
      ),
      h(
        'table',
        {},
        tableHead(['Started, severity', 'Incident', 'Lasted'], ['Holder']),
        h(
          'tbody',
          {},
          kept.map((one) => rowHtml(one, context)),
        ),
      ),
    )
  }
}

/** The first of every list, then the second of every list …, while there is room. */
function choose(
  { lists, incidents }: Behind,
  room: number,
  size: (one: ListedIncident) => number,
): Set<number> {
  const chosen = new Set<number>()
  const rounds = Math.max(0, ...lists.map(({ first }) => first.length))
  let left = room
  for (let round = 0; round < rounds; round++) {
    for (const { first } of lists) {
      const index = first[round]
      if (index === undefined || chosen.has(index)) continue
      left -= size(incidents[index]!)
      if (left < 0) return chosen
      chosen.add(index)
    }
  }
  return chosen
}

function rowHtml(one: ListedIncident, context: FormatContext): Markup {
  const { severity, title, url, startedAt, lasted, isOpen, holders } = one
  const text = shorten(textOf(title, context), TITLE_MOST)
  const time = plain(format(lasted, 'duration', context))
  return tableRow(one.lists.map(markOf).join(' '), [
    [null, `${plain(format(startedAt, 'time', context))} ${severity}`],
    [null, linked(url, text, context)],
    [null, isOpen ? `${time}, open` : time],
    ['later', shorten(textOf(holders, context), 40)],
  ])
}

/** As `safeLink` has it; the page's own policy says that it tells nobody where a reader came from. */
function linked(url: ListedIncident['url'], text: string, context: FormatContext): Child {
  const href = textOf(url, context)
  return isSafe(href) ? h('a', { href }, text) : text
}

/** A short class for a list: a, b … z, aa … */
function markOf(index: number): string {
  const letter = String.fromCharCode(97 + (index % 26))
  return index < 26 ? letter : `${markOf(Math.floor(index / 26) - 1)}${letter}`
}

/** The rows of the list that is asked for. */
function styleOf(lists: Behind['lists']): string {
  if (lists.length === 0) return ''
  const rules = lists.map(({ id }, index) => `#${id}:target~table .${markOf(index)}`)
  return `${rules.join(',')}{display:table-row}`
}

function bytesOf({ html }: Markup): number {
  return Buffer.byteLength(html)
}
