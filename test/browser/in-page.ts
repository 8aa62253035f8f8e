/** The tests send each function to the browser as text, so a function can use only its own variables. */

/** The DOM properties used here. The tests are compiled for Node, whose types lack them. */
interface PageElement {
  readonly tagName: string
  readonly textContent: string
  readonly parentElement: PageElement | null
  readonly firstElementChild: PageElement
  open: boolean
  readonly scrollWidth: number
  readonly clientWidth: number
  getAttribute(name: string): string | null
  getAttributeNames(): string[]
  setAttribute(name: string, value: string): void
  hasAttribute(name: string): boolean
  closest(selector: string): PageElement | null
  querySelectorAll(selector: string): Iterable<PageElement>
  checkVisibility(): boolean
  getBoundingClientRect(): Record<'left' | 'right' | 'top' | 'bottom' | 'width' | 'height', number>
}
declare const document: PageElement & {
  readonly body: PageElement & { readonly innerText: string }
  readonly documentElement: { readonly scrollWidth: number }
  readonly activeElement: PageElement
  readonly scripts: { readonly length: number }
  getAnimations(): unknown[]
  createElement(tag: string): { textContent: string; remove(): void }
  readonly head: { append(child: unknown): void }
}
declare const axe: {
  run(options: object): Promise<{
    violations: { id: string; impact: string; nodes: { html: string }[] }[]
  }>
}
declare function getComputedStyle(element: PageElement): Record<string, string>

/** Counts what a strict page must not contain, and returns the margin that its style sheet removes. */
export function contents() {
  return {
    scripts: document.scripts.length,
    styled: [...document.querySelectorAll('[style]')].length,
    handlers: [...document.querySelectorAll('*')].filter((each) =>
      each.getAttributeNames().some((attribute) => attribute.startsWith('on')),
    ).length,
    margin: getComputedStyle(document.body).margin,
  }
}

/** Tries to run a script, which the policy of the page must block. */
export function tryScript(): void {
  const script = document.createElement('script')
  script.textContent = 'document.title = "ran"'
  document.head.append(script)
  script.remove()
}

/** Opens all `details`, so that their contents are tested too. */
export function unfold(): void {
  for (const each of document.querySelectorAll('details')) each.open = true
}

/** Width of the page in pixels, including what is off the screen. */
export function pageWidth(): number {
  return document.documentElement.scrollWidth
}

export function visibleText(): string {
  return document.body.innerText
}

/** Number of elements that the keyboard must reach. */
export function keyboardStops(): number {
  const all = [...document.querySelectorAll('summary, a[href]:not([tabindex]), [tabindex="0"]')]
  return all.filter((each) => each.checkVisibility()).length
}

/** The focused element, its outline width in pixels, and whether it has the focus for the first time. */
export function focused(): { isNew: boolean; outline: number; text: string } {
  const active = document.activeElement
  const { outlineStyle, outlineWidth = '' } = getComputedStyle(active)
  const isNew = active.tagName !== 'BODY' && !active.hasAttribute('data-seen')
  active.setAttribute('data-seen', '')
  const outline = outlineStyle === 'none' ? 0 : Number.parseFloat(outlineWidth)
  return { isNew, outline, text: active.textContent.slice(0, 60) }
}

export function moving(): number {
  const animated = [...document.querySelectorAll('*')].filter((each) => {
    const { animationName, transitionDuration } = getComputedStyle(each)
    return animationName !== 'none' || transitionDuration !== '0s'
  })
  return document.getAnimations().length + animated.length
}

/** Violations by axe, with an example each. The page must have loaded axe. */
export async function violations(isOnlySerious: boolean): Promise<string[]> {
  const found = (await axe.run({ resultTypes: ['violations'] })).violations
  return found
    .filter(({ impact }) => !isOnlySerious || impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes[0]!.html.slice(0, 160)} (${nodes.length})`)
}

/** Texts that extend beyond their chart, either its `labels` or its `readouts`, which only the pointer makes visible. */
export function textOutside(which: string): string[] {
  const texts = which === 'labels' ? '.wide text, .narrow text, .once text' : '.hit text'
  return [...document.querySelectorAll(texts)].flatMap((text) => {
    const frame = text.closest('svg')!.getBoundingClientRect()
    const box = text.getBoundingClientRect()
    if ((which === 'labels' && text.closest('.hit')) || box.width === 0 || frame.width === 0) return []
    const beyond = [
      frame.left - box.left,
      box.right - frame.right,
      frame.top - box.top,
      box.bottom - frame.bottom,
    ]
    return Math.max(...beyond) > 1.5 ? [`"${text.textContent}" by ${beyond.map(Math.round)}`] : []
  })
}

export function cutCells(): string[] {
  return [...document.querySelectorAll('td, th')]
    .filter((cell) => cell.checkVisibility() && cell.scrollWidth > cell.clientWidth + 1)
    .map((cell) => `"${cell.textContent.slice(0, 60)}"`)
}

export function wideTables(): string[] {
  return [...document.querySelectorAll('.scroll')]
    .filter((part) => part.checkVisibility() && part.scrollWidth > part.clientWidth + 1)
    .map((part) => `"${part.getAttribute('aria-label')}" by ${part.scrollWidth - part.clientWidth}`)
}

/** Pairs of overlapping texts in a chart. */
export function textOnText(): string[] {
  return [...document.querySelectorAll('.wide, .narrow, .once')].flatMap((drawing) => {
    const texts = [...drawing.querySelectorAll('text')]
      .filter((text) => text.closest('.hit') === null)
      .map((text) => ({ text: text.textContent, box: text.getBoundingClientRect() }))
      .filter(({ box }) => box.width > 0)
    return texts.flatMap(({ text, box }, index) =>
      texts.slice(index + 1).flatMap((other) => {
        const across = Math.min(box.right, other.box.right) - Math.max(box.left, other.box.left)
        const down = Math.min(box.bottom, other.box.bottom) - Math.max(box.top, other.box.top)
        return across > 2 && down > 5 ? [`"${text}" and "${other.text}"`] : []
      }),
    )
  })
}

/** Internal links whose target id is missing or not unique. */
export function deadAnchors(): string[] {
  const ids = [...document.querySelectorAll('[id]')].map((element) => element.getAttribute('id'))
  return [...document.querySelectorAll('a[href^="#"]')]
    .map((link) => link.getAttribute('href')!.slice(1))
    .filter((id) => ids.filter((one) => one === id).length !== 1)
}

/** Folded sections whose summary line names no content, or wraps. */
export function longFolds(): string[] {
  return [...document.querySelectorAll('.fold > summary')]
    .filter((line) => !/^More: .+$/.test(line.textContent) || line.getBoundingClientRect().height > 60)
    .map((line) => line.textContent)
}

/** Chart headings that texts of the drawing overlap. */
export function textOnHeads(): string[] {
  return [...document.querySelectorAll('figure.chart')].flatMap((figure) => {
    const heads = [...figure.querySelectorAll('h3, .legend')].map((head) => head.getBoundingClientRect())
    const bottom = Math.max(...heads.map((box) => box.bottom))
    return [...figure.querySelectorAll('text')]
      .filter((text) => text.closest('.hit') === null)
      .map((text) => ({ text: text.textContent, box: text.getBoundingClientRect() }))
      .filter(({ box }) => box.width > 0 && box.top < bottom - 1)
      .map(({ text }) => `${figure.textContent.slice(0, 60)}: ${text}`)
  })
}

/** Texts whose contrast with the page is below 4.5 to 1. Colored cells are excluded, because their background differs. */
export function faintText(): string[] {
  const luminance = (color: string) => {
    const [red = 0, green = 0, blue = 0] = (color.match(/[\d.]+/g) ?? []).map((part) => {
      const value = Number(part) / 255
      return value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
  }
  const ground = luminance(getComputedStyle(document.body).backgroundColor!)
  const found = new Map<string, string>()
  for (const each of document.querySelectorAll('main *')) {
    const hasText =
      each.textContent.trim() !== '' && each.querySelectorAll('*')[Symbol.iterator]().next().done
    if (!hasText || !each.checkVisibility() || each.closest('.cell, .hit, pre') !== null) continue
    const style = getComputedStyle(each)
    const own = luminance((each.closest('svg') === null ? style.color : style.fill)!)
    const contrast = (Math.max(own, ground) + 0.05) / (Math.min(own, ground) + 0.05)
    if (contrast < 4.5)
      found.set(
        String(each.getAttribute('class')),
        `${each.textContent.slice(0, 40)} (${contrast.toFixed(1)})`,
      )
  }
  return [...found.values()]
}

export function readoutsSeen(): string[] {
  return [...document.querySelectorAll('.hit text')]
    .filter((each) => getComputedStyle(each).opacity !== '0')
    .map(({ textContent }) => textContent)
}

/** Charts, cards and rows that a page break may cut, because of their style or because they exceed an A4 page. */
export function tooTallToPrint(): string[] {
  const page = ((297 - 2 * 14) / 25.4) * 96
  return [...document.querySelectorAll('figure.chart, .kpi, tr')]
    .filter(
      (each) => getComputedStyle(each).breakInside !== 'avoid' || each.getBoundingClientRect().height > page,
    )
    .map((each) => `${each.tagName} ${each.textContent.slice(0, 60)}`)
}

/**
 * Returns elements that only their color distinguishes: legend entries with similar lightness and the same pattern,
 * verdicts without a word, lines without a name, and colored marks without text.
 */
export function lostInGrey(): string[] {
  const lost: string[] = []
  const lightness = (element: PageElement) => {
    const [red = 0, green = 0, blue = 0] =
      getComputedStyle(element)
        .fill?.match(/[\d.]+/g)
        ?.map(Number) ?? []
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
  }
  for (const legend of document.querySelectorAll('.legend')) {
    const keys = [...legend.querySelectorAll('rect')]
    for (const [index, key] of keys.entries()) {
      for (const other of keys.slice(index + 1)) {
        const same = key.getAttribute('fill') === other.getAttribute('fill')
        if (same && Math.abs(lightness(key) - lightness(other)) < 20)
          lost.push(`legend ${legend.textContent}`)
      }
    }
  }
  for (const { textContent } of document.querySelectorAll('.better, .worse')) {
    if (!/better|worse|faster|slower|fewer|more|lower|higher|[✓✗]/.test(textContent))
      lost.push(`judgement ${textContent}`)
  }
  for (const { parentElement } of document.querySelectorAll('i.swatch')) {
    if (!parentElement?.textContent) lost.push('a mark without its name')
  }
  for (const chart of document.querySelectorAll('svg.wide')) {
    const lines = [...chart.querySelectorAll('.line .stroke:not(.running)')].length
    if (lines > 1 && [...chart.querySelectorAll('.line .name')].length < lines)
      lost.push(`line ${chart.getAttribute('aria-label')}`)
  }
  return lost
}
