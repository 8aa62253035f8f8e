import type { ReportResult, Value } from '../../src/render/result.ts'
import { summaryOf, words } from '../../src/render/summary.ts'
import { inlineText, leadParagraphs } from '../../src/render/text.ts'
import { toHtml } from '../../src/render/to-html.ts'
import { toMail } from '../../src/render/to-mail.ts'
import { objectsOf } from '../../src/warehouse/read/rows-to-objects.ts'
import { pageWords, sentencesOf } from './page-text.ts'

/** A page and its files as a reader sees them, and the facts of its world. */
export interface Page {
  readonly result: ReportResult
  readonly lines: readonly string[]
  readonly sentences: readonly string[]
  readonly verdicts: Row[]
  readonly findings: Row[]
}
type Row = Record<string, Value>

export function pageOf(result: ReportResult): Page {
  const lines = pageWords(toHtml(result))
  const findings = result.findings ? objectsOf(result.findings) : []
  return { result, lines, sentences: sentencesOf(lines), verdicts: objectsOf(result.verdicts), findings }
}

/** Returns the complaints about a page. Falsy entries are ignored. */
type Rule = (page: Page) => (string | false | null | undefined)[]

const number = (value: Value | undefined) =>
  value === null || value === undefined ? Number.NaN : Number(value)
const leadOf = ({ result }: Page) => result.blocks.find((block) => block.kind === 'findings')
const linesOf = (page: Page) => leadOf(page)?.lines.map(({ text }) => words(inlineText(text))) ?? []
const found = (lines: readonly string[], pattern: RegExp) => lines.filter((line) => pattern.test(line))
const isCount = (row: Row) => row.measure === 'count'
const calm = ['no clear change', 'about the same']
const control = ({ result }: Page) =>
  result.blocks.flatMap((block) => (block.kind === 'chart' && block.spec.type === 'control' ? [block] : []))

const countedIn = ({ result }: Page) =>
  result.counted.funnel.find(({ label }) => label === 'included')?.count ?? 0

/** All prose of the report, from the lead to titles. */
const saidIn = ({ result }: Page) =>
  result.blocks
    .flatMap((block) => {
      if (block.kind === 'findings') return leadParagraphs(block)
      if (block.kind === 'heading' || block.kind === 'paragraph') return [block.content]
      if (block.kind === 'list') return [...block.items]
      return block.kind === 'kpis' ? [] : [block.title, block.subtitle]
    })
    .map((text) => words(inlineText(text)))

/** The rules by name, with which a complaint begins. */
export const rules: Record<string, Rule> = {
  'a dash in a sentence': ({ sentences }) =>
    found(sentences, /\b(within|of|is|was|to|in|got|came|half|median|p90) –(?=[.,;:) ]|$)|\(–|– to –/),
  'a plural of one, or nothing counted twice': ({ sentences }) =>
    found(
      sentences,
      /(?<![\d.,]|\d )\b1 ((high-severity|open|older) )?(incidents|calls|teams|people|pages|weeks|days|hours)\b|\b0 [a-z ]{0,40}, 0 of them/,
    ),
  'growth from none': ({ lines, verdicts }) => [
    ...found(lines, /previously 0 \(.*%|from 0 to|usual: 0 per|previous period \(0\)|NaN|Infinity|undefined/),
    ...verdicts.flatMap(
      (row) => isCount(row) && number(row.before) === 0 && row.change_low !== null && `${row.label}`,
    ),
  ],
  'a share of fewer than 8': (page) =>
    countedIn(page) < 8 ? found(saidIn(page), /\d%/).filter((text) => !/9[59]%|middle 50%/.test(text)) : [],
  'a verdict that the numbers beside it deny': ({ verdicts }) =>
    verdicts.map((row) => {
      const [value, before, verdict] = [number(row.value), number(row.before), String(row.verdict)]
      const ratio = value / before
      if (!isCount(row) || !(Math.max(value, before) >= 30) || !Number.isFinite(ratio)) return false
      if (calm.includes(verdict))
        return (ratio >= 3 || ratio <= 1 / 3) && `${row.label}: ${verdict}, ${before} to ${value}`
      const denies = (verdict === 'more' && ratio < 1) || (verdict === 'fewer' && ratio > 1)
      return denies && `${row.label}: ${verdict}, ${before} to ${value}`
    }),
  'a card and its file that disagree': ({ result, verdicts }) =>
    summaryOf(result).kpis.map(({ label, change, value }) => {
      const row = verdicts.find((one) => one.label === label)
      if (!row || !change) return false
      // A card about few incidents names the previous count instead of a verdict.
      if (change.verdict.startsWith('previously '))
        return (
          change.verdict.replaceAll(',', '') !== `previously ${row.before}` &&
          `${label}: ${change.verdict}, ${row.before}`
        )
      const isSaid = words(String(row.verdict)) === change.verdict
      const isShown = !isCount(row) || value.replaceAll(',', '') === String(row.value)
      const isCompared =
        (change.previous !== null) === ['sure', 'possible', 'small', 'unclear'].includes(String(row.code))
      return (
        !(isSaid && isShown && isCompared) &&
        `${label}: ${value}, ${JSON.stringify(change)}; ${JSON.stringify(row)}`
      )
    }),
  'a point outside under a title without one': (page) =>
    control(page).map((block) => {
      const title = words(inlineText(block.title))
      const { usual, data, spec } = block
      if (!usual?.judged || !/\(expected: [^;)]*\)$/.test(title)) return false
      const outside = objectsOf(data).filter((row) => {
        const value = number(row[String(spec.y)])
        return row.is_partial !== true && (value > usual.high || value < usual.low)
      })
      return outside.length > 0 && `${title}: ${outside.length} ringed`
    }),
  'two ranges that are usual': (page) => {
    const drawn = control(page).find(
      ({ data, spec }) => data.name === 'weekly' && spec.y === 'incidents',
    )?.usual
    const [, told] =
      /^Incidents: [\d,]+ in the last week \(usual: ([\d.]+)\)/.exec(linesOf(page)[0] ?? '') ?? []
    const outside = drawn && told && (Number(told) > drawn.high || Number(told) < drawn.low)
    return [outside && `${told} a week is usual, and drawn ${drawn.low} to ${drawn.high}`]
  },
  'a comparison with what was not read': ({ result, lines }) =>
    result.frame.previousLabel === null
      ? found(lines, /\bpreviously\b|(than in|compared with|in) the previous|usual:|none in/)
      : [],
  'a change where comparisons are suspended': (page) => {
    const isSilent = page.findings.some(({ topic }) => topic === 'silence')
    if (!isSilent) return []
    return [
      ...page.result.kpis.flatMap(({ label, change }) =>
        change && !/^not compared: /.test(words(change.verdict)) ? [`${label}: ${change.verdict}`] : [],
      ),
      ...found(linesOf(page), /\b(fewer|rose|fell|doubled|tripled|usual|rising|falling)\b/).filter(
        (line) => !/\bno incidents recorded /i.test(line),
      ),
    ]
  },
  'a colour that one day gives a share': ({ result, findings }) =>
    result.kpis.map(({ label, change }) => {
      const isBurst = findings.some((row) => String(row.sentence).includes('nearly all'))
      return (
        isBurst &&
        change !== null &&
        change.tone === 'better' &&
        `${label}: ${change.amount} ${change.verdict}`
      )
    }),
  'two medians for one word': ({ sentences, result }) => {
    const card = summaryOf(result).kpis.find(({ label }) => label === 'Time to resolve')?.value
    return sentences.flatMap((text) => {
      const [, said] = /median time to resolve:? ([^.;,(]+?)(?= \(|[.;,]|$)/i.exec(text) ?? []
      return said !== undefined && card !== undefined && !/closed/.test(text) && said !== card
        ? [`${text} Card: ${card}`]
        : []
    })
  },
  'a finding that the card denies': ({ findings, result }) =>
    findings
      .filter(
        ({ kind, topic, gives_way: follows }) =>
          kind === 'outside' && topic === 'counts' && follows === false,
      )
      .flatMap(({ is_worse: isWorse, sentence }) =>
        result.kpis
          .filter(({ label, change }) => label === 'Incidents' && change !== null)
          .map(
            ({ change }) =>
              change!.tone !== (isWorse ? 'worse' : 'better') && `${sentence} Card: ${change!.verdict}`,
          ),
      ),
  'two counts of the people of a team': ({ findings, result }) => {
    const load = result.blocks.find((block) => block.kind === 'table' && block.data.name === 'load')
    const teams = load?.kind === 'table' ? objectsOf(load.data) : []
    return findings
      .filter(({ kind }) => kind === 'concentrated')
      .flatMap(({ within, amount, sentence }) =>
        teams.map(
          ({ team, people }) =>
            team === within && number(people) !== amount && `${sentence} Table: ${String(people)}`,
        ),
      )
  },
  'a target that nobody set, first or without its mark': (page) => [
    ...found(page.sentences, /\(objective: \d/).filter((text) => !/, default\)/.test(text)),
    ...found(linesOf(page).slice(0, 1), /\bdefault\)/),
  ],
  'what is open now, before what the period brought': (page) =>
    page.result.name === 'on-call-handover' ? [] : found(linesOf(page), /^Nobody has acknowledged/),
  'one subject or advice twice': (page) => {
    const shown = page.findings.slice(0, linesOf(page).length).map(({ subject }) => subject)
    const twice = shown.filter((one, place) => one !== null && shown.indexOf(one) !== place)
    const next = leadOf(page)
    const steps = next ? inlineText(next.next).replace(/\.$/, '').split('; ') : []
    return [...twice.map(String), ...steps.filter((one, place) => steps.indexOf(one) !== place)]
  },
  'a subject that is too long, is cut, or names an incident or a person': ({ result, findings }) => {
    const { subject } = toMail(result, null)
    const name = words(result.subject.name)
    const named = subject.startsWith(name) && /^( \([\w ]+\))?: /.test(subject.slice(name.length))
    const titles = findings.flatMap((row) => (row.kind === 'unattended' ? [row.subject, row.detail] : []))
    const isOpen = titles.some((one) => one && subject.includes(words(String(one))))
    return [(!named || isOpen || Array.from(subject).length > 60 || subject.includes('…')) && subject]
  },
}

export const complaintsOf = (page: Page) =>
  Object.entries(rules).flatMap(([name, rule]) =>
    rule(page).flatMap((text) => (text ? [`${page.result.name}: ${name}: ${text}`] : [])),
  )
