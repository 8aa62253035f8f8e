import { createHash } from 'node:crypto'
import { type Child, h, type Markup, render } from './html.ts'
import { pageStyle } from './page-style.ts'

export function page(content: Child, ...head: Parameters<typeof pageHead>): string {
  return `<!doctype html>\n${render(h('html', { lang: 'en' }, pageHead(...head), h('body', {}, content)))}\n`
}

/** The content security policy allows only this style sheet. `form` is `self` if the page may send forms. */
function pageHead(title: string, style = pageStyle, form: 'none' | 'self' = 'none'): Markup {
  const hash = createHash('sha256').update(style).digest('base64')
  return h(
    'head',
    {},
    h('meta', { charset: 'utf-8' }),
    h('meta', {
      'http-equiv': 'Content-Security-Policy',
      content: `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action '${form}'`,
    }),
    h('meta', { name: 'viewport', content: 'width=device-width, initial-scale=1' }),
    h('meta', { name: 'color-scheme', content: 'light dark' }),
    h('meta', { name: 'referrer', content: 'no-referrer' }),
    h('title', {}, title),
    { html: `<style>${style}</style>` },
  )
}
