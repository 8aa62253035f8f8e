import { describe, expect, test } from 'vitest'
import { sentencesIn } from './support/sentences.ts'
import { sourceFiles, targetOf } from './support/sources.ts'

const files = sourceFiles()
/** Folders whose texts readers of pages, mails and messages could see. */
const shown = /^(delivery|explore|judge|page|render|site|report\/(incidents|scope))\//
/** Files with sentences for other readers. */
const others: Record<string, string> = {
  'delivery/bots.ts': 'errors of chat services, for the terminal',
  'delivery/print-page.ts': 'errors of the browser, for the terminal',
  'delivery/send-mail.ts': 'errors of the mail server, for the terminal',
  'delivery/send-webhook.ts': 'errors of the webhook, for the terminal',
  'judge/figure-values.ts': 'an error for authors of reports',
  'render/charts/bars.ts': 'an error for authors of reports',
  'render/charts/heatmap.ts': 'an error for authors of reports',
  'report/incidents/link-spec.ts': 'an error for authors of reports',
  'report/scope/period.ts': 'an error for the terminal',
}

describe('sentences', () => {
  test('are detected by the scanner of this test, but not SQL, errors and labels', () => {
    const found = [
      "const why = 'No incident is open now.'",
      'const age = `The data is $' + '{days} old, so figures are missing`',
      "const rest = cut ? '; this one covers the last 24 hours.' : ''",
    ]
    for (const one of found) expect(sentencesIn(one), one).toHaveLength(1)
    const rest = [
      "query('select a, b from runs where is_open order by a')",
      "throw new ConfigError(`No incident has the name of x.`, { next: 'Choose another one from it.' })",
      "h('p', { class: 'note strong middle end' }, 'Time to acknowledge')",
    ]
    for (const one of rest) expect(sentencesIn(one), one).toEqual([])
  })

  test('for readers are only in page/sentences/', () => {
    const found = files
      .filter(({ path, room }) => shown.test(path) && room !== 'page/sentences')
      .flatMap(({ path, text }) => sentencesIn(text).map((sentence) => ({ path, sentence })))
    expect(found.filter(({ path }) => !(path in others))).toEqual([])
    const stale = Object.keys(others).filter((path) => !found.some((one) => one.path === path))
    expect(stale, 'listed, but without sentences').toEqual([])
  })

  test('that render/ uses import only render/, so that its output depends on nothing else', () => {
    const targetsOf = (file: (typeof files)[number]) => file.imports.map((each) => targetOf(file, each))
    const used = new Set(
      files
        .filter(({ room }) => room === 'render')
        .flatMap(targetsOf)
        .filter((path) => path.startsWith('page/')),
    )
    expect(used.size).toBeGreaterThan(3)
    const wrong = files
      .filter(({ path }) => used.has(path))
      .flatMap((file) => targetsOf(file).map((target) => `src/${file.path} imports ${target}`))
      .filter((one) => !/ imports render\//.test(one))
    expect(wrong).toEqual([])
  })
})
