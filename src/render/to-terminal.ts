import { basisText, targetText, verdictText } from '../page/sentences/card-sentences.ts'
import { FUNNEL } from '../page/sentences/methodology-sentences.ts'
import { periodsOf } from '../page/sentences/period-sentences.ts'
import { restatedText } from '../page/sentences/restatement-sentences.ts'
import { emptyText, NO_DATA } from '../page/sentences/summary-sentences.ts'
import { chartOf } from './charts/index.ts'
import { contextOf, countText, type FormatContext, plain } from './format.ts'
import { basisOf } from './kpi-html.ts'
import type { Block, Frame, Inline, KpiCard, ReportResult } from './result.ts'
import { sparks } from './sparkline.ts'
import { factsOf, shownBlocks } from './summary.ts'
import { broken, pad, safe, type Terminal, terminal, toneStyle, wrapped } from './terminal/paint.ts'
import { tableLines } from './terminal/table-lines.ts'
import { inlineText, leadParagraphs } from './text.ts'

/** Escape sequences in the data are dropped. */
export function toTerminal(result: ReportResult, options: { width: number; color: boolean }): string {
  const out = terminal(options)
  const { frame } = result
  const context = contextOf(frame)
  const restated = result.restated && restatedText(result.restated, context)
  const facts = [...periodsOf(frame), ...factsOf(frame)]
  const lines = [
    out.paint('bold', safe(result.title)),
    ...wrapped(safe(facts.join(' · ')), out.width).map((line) => out.paint('dim', line)),
    ...gateLines(result, out),
    ...result.warnings.map((warning) => out.paint('yellow', safe(warning))),
    ...(restated ? wrapped(safe(restated), out.width).map((line) => out.paint('yellow', line)) : []),
    ...(result.empty ? ['', emptyText(result.stillOpen, result.coverage)] : []),
    ...shownBlocks(result).flatMap((block) => ['', ...blockLines(block, frame, context, out)]),
    '',
    out.paint('dim', FUNNEL),
    ...result.counted.funnel.map(({ label, count }) => `${pad(countText(count), 9, 'right')}  ${label}`),
  ]
  return `${lines
    .flatMap((line) => broken(line, out.width))
    .map((line) => line.trimEnd())
    .join('\n')}\n`
}

function gateLines({ gates }: ReportResult, out: Terminal): string[] {
  return gates
    .filter(({ state }) => state !== 'ok')
    .toSorted((a, b) => Number(b.state === 'error') - Number(a.state === 'error'))
    .map(({ state, message }) => {
      const [color, word] =
        state === 'error' ? (['red', 'Failed'] as const) : (['yellow', 'Warning'] as const)
      return out.paint(color, `${word}: ${safe(message)}`)
    })
}

function blockLines(block: Block, frame: Frame, context: FormatContext, out: Terminal): string[] {
  switch (block.kind) {
    case 'heading':
      return [out.paint('bold', safe(inlineText(block.content)).toUpperCase())]
    case 'paragraph':
      return paragraph(block.content, out)
    case 'findings':
      return leadParagraphs(block).flatMap((each) => paragraph(each, out))
    case 'list':
      return block.items.flatMap((item, index) =>
        paragraph(item, out).map(
          (line, row) => (row === 0 ? (block.ordered ? `${index + 1}. ` : '· ') : '  ') + line,
        ),
      )
    case 'kpis':
      return block.cards.map((card) => kpiLine(card, out))
    case 'chart': {
      const plot = block.data.rows.length > 0 && chartOf(block.spec).terminal(block, frame, out)
      return [...headLines(block.title, out), ...(plot || [NO_DATA])]
    }
    case 'table':
      return [...headLines(block.title, out), ...tableLines(block, context, out)]
  }
}

function headLines(title: readonly Inline[], out: Terminal): string[] {
  return title.length ? [out.paint('bold', safe(inlineText(title)))] : []
}

function paragraph(content: readonly Inline[], out: Terminal): string[] {
  return wrapped(safe(inlineText(content)), out.width)
}

function kpiLine({ label, value, change, interval, n, target, trend }: KpiCard, out: Terminal): string {
  const basis = change ? safe([basisText(change), change.mix, change.reach].filter(Boolean).join('; ')) : ''
  const moved = change
    ? `${out.paint(toneStyle[change.tone], safe(verdictText(change)))}${basis && out.paint('dim', `, ${basis}`)}`
    : ''
  const extra = [safe(basisOf({ interval, n }).join(' ')), ...(target ? [safe(targetText(target))] : [])]
    .filter((text) => text !== '')
    .join(', ')
  const spark = out.width < 90 ? '' : ` ${sparks(trend.slice(-13).map((point) => point.value))}`
  const start = `${pad(safe(label), 26)} ${out.paint('bold', pad(safe(plain(value)), 13))}${spark}`
  return `${start} ${moved}${extra ? out.paint('dim', `${moved ? ' · ' : ''}${extra}`) : ''}`
}
