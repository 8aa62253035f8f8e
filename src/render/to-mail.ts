import { ATTACHED, OPEN, PICTURE } from '../page/sentences/summary-sentences.ts'
import { type Child, h, type Markup, render } from './html.ts'
import type { FindingsBlock, Inline, ReportResult } from './result.ts'
import { FIGURES, kpiText, notesOf, summaryOf } from './summary.ts'
import { briefLead, inlineHtml, NEXT, NOW, safeLink } from './text.ts'

export interface Mail {
  readonly subject: string
  readonly html: string
  readonly text: string
}

/** Sets the text color and the background together, so that a mail program in dark mode inverts both or neither. */
const PAPER = 'margin:0;background:#ffffff;color:#16181d'
const SOFT = 'color:#5c6370'

/**
 * @param link address of the published page, or null if the page is attached
 * @param picture content id of an attached image of the top of the page
 */
export function toMail(result: ReportResult, link: string | null, picture: string | null = null): Mail {
  const summary = summaryOf(result)
  const { title, subject, facts, lead, next, open } = summary
  const notes = notesOf(summary)
  const figures = summary.kpis.slice(0, FIGURES).map((kpi) => [kpi.label, kpiText(kpi)] as const)
  const block = result.empty
    ? undefined
    : result.blocks.find((one): one is FindingsBlock => one.kind === 'findings')
  const inline = (nodes: readonly Inline[][]) => nodes.map((each) => h('p', {}, inlineHtml(each)))
  const main = h(
    'main',
    { style: `${PAPER};max-width:640px;padding:16px;font-family:sans-serif;font-size:15px;line-height:1.5` },
    h('h1', { style: 'font-size:22px' }, title),
    h('p', { style: SOFT }, facts),
    picture !== null && pictureHtml(picture),
    notes.map((note) =>
      h('p', { style: 'padding:8px 12px;border-left:3px solid #8a5a00;background:#f4f4f0' }, note),
    ),
    block ? inline(briefLead(block)) : lead.map((each) => h('p', {}, each)),
    next !== '' && h('p', {}, h('b', {}, NEXT), ' ', next),
    figures.length > 0 && figuresHtml(figures),
    open !== '' && h('p', {}, h('b', {}, NOW), ' ', block ? inlineHtml(block.open) : open),
    h('p', {}, link === null ? ATTACHED : safeLink(link, OPEN)),
  )
  const meta = (name: string, content: string) => h('meta', { name, content })
  const metas = [
    h('meta', { charset: 'utf-8' }),
    meta('viewport', 'width=device-width'),
    meta('color-scheme', 'light'),
  ]
  const head = h('head', {}, metas, h('title', {}, subject))
  return {
    subject,
    html: `<!doctype html>\n${render(h('html', { lang: 'en' }, head, h('body', { style: PAPER }, main)))}\n`,
    text: `${[
      `${title}\n${facts}`,
      ...notes,
      ...lead,
      next && `${NEXT} ${next}`,
      figures.map(([label, value]) => `${label}: ${value}`).join('\n'),
      open && `${NOW} ${open}`,
      link ?? ATTACHED,
    ]
      .filter(Boolean)
      .join('\n\n')}\n`,
  }
}

function pictureHtml(picture: string): Markup {
  return h('img', { src: `cid:${picture}`, alt: PICTURE, width: 600, style: 'max-width:100%;height:auto' })
}

/** Renders the figures as a table. Styles are in attributes, because many mail programs drop style sheets. */
function figuresHtml(figures: readonly (readonly [string, string])[]): Child {
  const head = { align: 'left', valign: 'top', style: `${SOFT};font-weight:normal` }
  const rows = figures.map(([label, value]) => h('tr', {}, h('th', head, label), h('td', {}, value)))
  return h('table', { border: 0, cellpadding: 4, cellspacing: 0, style: 'font-size:15px' }, rows)
}
