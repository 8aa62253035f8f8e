import { createHash } from 'node:crypto'
import { h, type Markup } from './html.ts'

/** The style sheet of a page. There are no inline styles, so that the policy can name its one hash. */
export const pageStyle = `
:root{color-scheme:light dark;--paper:#fcfcfa;--ink:#16181d;--soft:#5c6370;--faint:#a3a8b0;--hair:#e6e6e1;--axis:#b9bcc2;--shade:#f4f4f0;
--c0:#1e5fa8;--c1:#b8540f;--c2:#1f7a6b;--c3:#7a4ea3;--c4:#8a6d1a;--c5:#5a6472;--grey:#d2d5da;
--sev0:#8a0f3c;--sev1:#dc5a1a;--sev2:#ecb43a;--sev3:#5f8fc4;--better:#0b7a48;--worse:#b3241c;--warn:#8a5a00;--link:#1e5fa8;
--h0:#f2f4f7;--h1:#e1eaf5;--h2:#c6d9ee;--h3:#a3c1e3;--h4:#3a73b5;--h5:#123c73;--on:#fff}
@media screen and (prefers-color-scheme:dark){:root{--paper:#0e1116;--ink:#eef0f3;--soft:#9aa2ae;--faint:#6b7380;--hair:#23282f;--axis:#4a515c;--shade:#161b22;
--c0:#6cb0f7;--c1:#f0a050;--c2:#5cc8b4;--c3:#c29bea;--c4:#d8bd62;--c5:#a9b3c0;--grey:#3c434d;
--sev0:#e5307c;--sev1:#e18549;--sev2:#e2c968;--sev3:#3f86bd;--better:#3fc486;--worse:#ff7a70;--warn:#e0b050;--link:#7cb8f8;
--h0:#161b22;--h1:#1a2a3d;--h2:#1f3c5c;--h3:#27537f;--h4:#5597d8;--h5:#a9d2fb;--on:#0e1116}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0;background:var(--paper);color:var(--ink);font:15px/1.5 Inter,ui-sans-serif,system-ui,-apple-system,"Segoe UI",Roboto,"Liberation Sans",sans-serif;font-variant-numeric:tabular-nums}
main{max-width:964px;margin:0 auto;padding:52px 22px 80px}
h1,h2,h3,p,ul,ol,dl,figure,table{margin:0}
h1{font-size:34px;line-height:1.15;letter-spacing:-.022em;font-weight:700}
h2{margin-top:52px;padding-top:14px;border-top:1px solid var(--hair);font-size:13px;font-weight:600;color:var(--soft)}
h3{margin-top:30px;font-size:18px;line-height:1.35;letter-spacing:-.01em;font-weight:600;text-wrap:balance}
p,h3,li{overflow-wrap:anywhere}p,main>ul,main>ol{margin-top:16px;max-width:68ch}
a{color:var(--link);text-underline-offset:3px;text-decoration-thickness:1px}
code{font:13px/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace}
.facts{margin-top:12px;display:flex;flex-wrap:wrap;gap:2px 18px;padding:0;list-style:none;font-size:14px;color:var(--soft)}
.facts b{font-weight:600;color:var(--ink)}
.lead{overflow-wrap:anywhere;margin-top:30px;max-width:none;font-size:20px;line-height:1.5;letter-spacing:-.006em}
.lead p{margin-top:12px;max-width:none}.lead p:first-child{margin-top:0}.proof{margin-left:4px;text-decoration:none;font-size:.8em}
.banner{margin-top:22px;padding:10px 14px;max-width:none;border-left:3px solid var(--warn);background:var(--shade);font-size:14px}
.banner.failed{border-left-color:var(--worse)}.banner b{font-weight:650}
.nothing{margin-top:48px;padding:40px 0;border:solid var(--hair);border-width:1px 0;max-width:none;color:var(--soft);font-size:18px;text-align:center}
.better{color:var(--better)}.worse{color:var(--worse)}
.value{white-space:nowrap}strong .value,strong{font-weight:650}
.kpis{margin-top:32px;display:grid;grid-template-columns:repeat(auto-fit,minmax(148px,1fr));border:solid var(--hair);border-width:1px 0;overflow:hidden}
.kpi{display:flex;flex-direction:column;padding:18px 12px 16px 16px;border-left:1px solid var(--hair);margin-left:-1px;min-width:0}
.kpi:first-child{padding-left:0;border-left-color:transparent}
.kpi dt{font-size:13px;color:var(--soft)}
.kpi dd{margin:0}
.figure{margin-top:2px;font-size:28px;line-height:1.25;letter-spacing:-.02em;font-weight:650;white-space:nowrap}
.figure small{font-size:.58em;font-weight:500;color:var(--soft);letter-spacing:0;margin:0 .28em 0 .16em}
.move,.extra{font-size:12.5px;line-height:1.45;color:var(--soft)}.extra.better{color:var(--better)}.extra.worse{color:var(--worse)}
.basis{display:flex;flex-wrap:wrap;column-gap:4px}.basis span{white-space:nowrap}
.move b{font-weight:600}.move .sure{display:block;font-size:inherit}
.kpi .trend{margin-top:auto}.once{max-width:480px}.row-spark{width:90px;margin:0}.row-spark .stroke{stroke:var(--c0)}.spark{width:100%;max-width:170px}
figure{margin-top:30px;min-width:0}
figure h3{margin:0}
.sub{margin:3px 0 0;max-width:none;font-size:13.5px;color:var(--soft)}
.pair{display:grid;grid-template-columns:1fr 1fr;gap:0 40px;align-items:start}
svg{display:block;width:100%;height:auto;margin-top:10px}
svg text{font-size:11.5px;fill:var(--ink)}
svg .tick,svg .note{fill:var(--soft)}
svg .note{font-size:11px;paint-order:stroke;stroke:var(--paper);stroke-width:4px;stroke-linejoin:round}
svg .end{text-anchor:end}svg .middle{text-anchor:middle}
svg .name,svg .strong{font-weight:600}
svg .warn{fill:var(--warn)}
.grid{stroke:var(--hair)}.axis{stroke:var(--axis)}
.previous{fill:var(--shade)}
.rule{stroke:var(--soft);stroke-dasharray:2 3}
.stroke{fill:none;stroke-width:1.6;stroke-linejoin:round;stroke-linecap:round}
.l0 .stroke{stroke:var(--c0);stroke-width:2.2}.l1 .stroke{stroke:var(--c1)}.l2 .stroke{stroke:var(--c2);stroke-dasharray:7 3}.l3 .stroke{stroke:var(--c3);stroke-dasharray:2 3}
.stroke.running{stroke-dasharray:1 5}
.d0{fill:var(--c0)}.d1{fill:var(--c1)}.d2{fill:var(--c2)}.d3{fill:var(--c3)}
.dot{stroke:var(--paper);stroke-width:1.5}
.dot.few{fill:var(--paper)}.f0{stroke:var(--c0)}.f1{stroke:var(--c1)}.f2{stroke:var(--c2)}.f3{stroke:var(--c3)}
svg .l0 .name{fill:var(--c0)}svg .l1 .name{fill:var(--c1)}svg .l2 .name{fill:var(--c2)}svg .l3 .name{fill:var(--c3)}
.spread{fill:var(--c0);opacity:.13}
.before{fill:none;stroke:var(--faint);stroke-width:1.4;opacity:.8}
.c0{fill:var(--c0)}.c1{fill:var(--c1)}.c2{fill:var(--c2)}.c3{fill:var(--c3)}.c4{fill:var(--c4)}.c5{fill:var(--c5)}.grey{fill:var(--grey)}
.sev0{fill:var(--sev0)}.sev1{fill:var(--sev1)}.sev2{fill:var(--sev2)}.sev3{fill:var(--sev3)}
.part{opacity:.55}
.open{fill:none;stroke:var(--soft);stroke-dasharray:2 2}
.whisker{stroke-width:1.8}
.c0 .whisker{stroke:var(--c0)}.sev0 .whisker{stroke:var(--sev0)}.sev1 .whisker{stroke:var(--sev1)}.sev2 .whisker{stroke:var(--sev2)}.sev3 .whisker{stroke:var(--sev3)}
.gap{fill:var(--paper)}
g.few{opacity:.5}
.h0{fill:var(--h0)}.h1{fill:var(--h1)}.h2{fill:var(--h2)}.h3{fill:var(--h3)}.h4{fill:var(--h4)}.h5{fill:var(--h5)}
.cell text{text-anchor:middle;font-size:10.5px}.t1 text{fill:var(--on)}
.working{fill:none;stroke:var(--soft);stroke-dasharray:3 3}
.hit>:first-child{fill:transparent}.hit:hover>:first-child{fill:var(--ink);opacity:.08}
.hit>*+*{opacity:0;pointer-events:none}
.hit:hover>*+*,.hit:focus>*+*,:focus>.hit>*+*{opacity:1}.hit:focus{outline:none}
.hit .main{font-weight:600}
.hit text{paint-order:stroke;stroke:var(--paper);stroke-width:6px;stroke-linejoin:round}
.axis,.grid{fill:none}
.target{stroke:var(--ink);stroke-dasharray:5 3;stroke-width:1.2}
.limit{stroke:var(--c0);stroke-dasharray:4 3;opacity:.55}.centre{stroke:var(--c0);opacity:.8}
.thread{fill:none;stroke:var(--faint);stroke-width:1.2}
.trendline{fill:none;stroke:var(--ink);stroke-width:1.2}
.ring{fill:none;stroke:var(--worse);stroke-width:2}
.bracket{fill:none;stroke:var(--ink);stroke-width:1.2}
.censored{fill:none;stroke:var(--ink);stroke-width:1}
.defs{position:absolute;margin:0}
.narrow{display:none}
.legend{margin-top:8px;padding:0;display:flex;flex-wrap:wrap;gap:4px 18px;list-style:none;font-size:13px}
.key{display:inline-block;width:10px;height:10px;margin:0 7px 0 0}
.swatch{display:inline-block;width:9px;height:9px;margin-right:7px;border-radius:2px;background:var(--c0)}
.swatch.c1{background:var(--c1)}.swatch.c2{background:var(--c2)}.swatch.c3{background:var(--c3)}.swatch.c4{background:var(--c4)}.swatch.c5{background:var(--c5)}
.swatch.sev0{background:var(--sev0)}.swatch.sev1{background:var(--sev1)}.swatch.sev2{background:var(--sev2)}.swatch.sev3{background:var(--sev3)}
details{margin-top:8px;font-size:13px}
summary{width:fit-content;max-width:100%;overflow-wrap:anywhere;color:var(--soft);cursor:pointer}
summary:focus-visible,a:focus-visible{outline:2px solid var(--link);outline-offset:2px}
.scroll{overflow-x:auto}.scroll:focus-visible{outline:2px solid var(--link);outline-offset:2px}
table{border-collapse:collapse;width:100%;margin-top:10px;font-size:14px}
th{padding:6px 14px 8px 0;border-bottom:1px solid var(--axis);text-align:left;font-size:12.5px;font-weight:500;color:var(--soft);vertical-align:bottom}
td{padding:8px 14px 8px 0;border-bottom:1px solid var(--hair);vertical-align:top}
th:last-child,td:last-child{padding-right:0}
.num{text-align:right;white-space:nowrap}
.fit{white-space:nowrap}
td .basis{display:block;white-space:normal;font-size:11.5px;color:var(--soft)}.rare{color:var(--soft)}
.wrap{min-width:160px;overflow-wrap:anywhere}
details table{font-size:12.5px}details td{padding-top:4px;padding-bottom:4px}
.data th,.data td{text-align:right;white-space:nowrap}.data .text,.data th:first-child,.data td:first-child{text-align:left}
.bar{display:inline-block;width:84px;height:9px;margin:0 0 0 10px;vertical-align:baseline}
.of{display:inline-block;text-align:right}.w1{width:1ch}.w2{width:2ch}.w3{width:3ch}.w4{width:4ch}.w5{width:5ch}.w6{width:6ch}.w7{width:7ch}.w8{width:8ch}.w9{width:9ch}
.behind tbody tr,.behind thead,.close,.behind a i{display:none}
.behind td:nth-child(2){overflow-wrap:anywhere}.behind>a{display:inline-block;margin:6px 14px 0 0;font-size:13px}
.behind>:target{display:block;scroll-margin:20px;margin:0;color:var(--ink);font-size:15px;font-weight:600;text-decoration:none}
.behind>:target~.close{display:block}.behind>:target i{display:inline;font-style:normal}.behind>:target~table thead{display:table-header-group}
.behind:has(:target){position:fixed;inset:auto 0 0;z-index:1;max-height:60vh;overflow:auto;padding:16px max(22px,calc(50vw - 460px)) 20px;background:var(--paper);border-top:2px solid var(--axis)}
.behind:has(:target)>h2,.behind:has(:target)>.more,.behind:has(:target)>a:not(:target){display:none}
.more{margin-top:8px;font-size:13px;color:var(--soft)}
.counted{margin-top:64px;border-top:1px solid var(--hair);padding-top:6px;font-size:13px;color:var(--soft)}
.counted h2{display:inline;border:0;margin:0;padding:0}.counted>details{font-size:inherit}.counted h3{margin-top:22px;font-size:13px;color:var(--ink)}
.counted dl{margin-top:8px;display:grid;grid-template-columns:max-content 1fr;gap:5px 18px}
.counted dt{color:var(--ink)}.counted dd{margin:0}
.counted table{width:auto;font-size:13px}.counted td{padding:4px 22px 4px 0}
.counted pre{margin:6px 0 0;padding:12px 14px;white-space:pre-wrap;overflow-wrap:anywhere;background:var(--shade);color:var(--ink);font:12px/1.55 ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace}
@media (max-width:640px){
main{padding:32px 22px 56px}
h1{font-size:28px}.lead{font-size:18px;margin-top:24px}
.wide{display:none}.narrow{display:block}
.pair{display:block}
.kpis{grid-template-columns:1fr 1fr}
.kpi{padding:14px 10px 12px 16px;border-top:1px solid var(--hair);margin-top:-1px}
.kpi:nth-child(odd){padding-left:0;border-left-color:transparent}
.figure{font-size:25px}
.later{display:none}
td,th{padding-right:6px}
.bar{width:36px;margin-left:8px}
.wrap{min-width:84px;max-width:60vw;overflow-wrap:break-word}
.counted dl{grid-template-columns:1fr;gap:0}.counted dd{margin-bottom:8px}.counted td,.counted th{padding-right:10px}
}
@media print{
:root{--paper:#fff}
@page{size:A4;margin:10mm 14mm}
body{font-size:9.5pt;line-height:1.4}main{padding:0;max-width:none}
h1{font-size:22px}h2{margin-top:16px;padding-top:6px}h3{margin-top:10px;font-size:13.5px}p,main>ul,main>ol{margin-top:6px;max-width:none}
.lead{margin-top:6px;font-size:12.5px;line-height:1.3}.lead p{margin-top:4px}.facts{margin-top:4px;font-size:10.5px;gap:0 14px}.banner{margin-top:8px;padding:4px 8px;font-size:11px}
figure{margin-top:11px}figure.chart,tr,.kpis,.kpi,.pair{break-inside:avoid}h2,h3,.sub,thead{break-after:avoid}tr:last-child,tbody tr:first-child{break-before:avoid}
.wide{display:block}.narrow{display:none}.pair{display:grid;gap:0 24px}.wide{max-height:200px}.once{max-height:160px}svg{margin-top:4px}svg.once,svg.wide{margin-top:-8px}.sub{font-size:11px;margin-top:1px}
.legend{font-size:10.5px;margin-top:3px}
.kpis{margin-top:9px;grid-template-columns:repeat(auto-fit,minmax(118px,1fr))}.figure{font-size:19px}.kpi{padding:6px 6px 5px 10px}.basis span{white-space:normal}.move,.extra{font-size:10px}.kpi dt{font-size:10.5px}.kpi .trend{display:none}
.scroll{overflow:visible;max-height:none}
figure>details,.block>details,.behind,.file,.counted>details:not([open]){display:none}.counted:not(:has(>details[open])){display:none}
table{margin-top:3px;font-size:10.5px}th,td{padding:2.5px 8px 2.5px 0}th{font-size:10px}td .basis{display:inline;margin-left:5px;font-size:9px}td:has(.swatch){white-space:nowrap}.bar{width:40px}.row-spark{width:50px}.fit{white-space:normal}.wrap{min-width:90px}.counted table{font-size:10px}.counted td{padding-right:10px}.more{margin-top:3px;font-size:10px}
*{print-color-adjust:exact;-webkit-print-color-adjust:exact}
}
`
  .trim()
  .replaceAll('\n', '')

/**
 * The head of every page: a policy that allows nothing but the one style sheet, by its hash.
 * @param more rules of this page alone
 */
export function pageHead(title: string, more = ''): Markup {
  const style = pageStyle + more
  const hash = createHash('sha256').update(style).digest('base64')
  return h(
    'head',
    {},
    h('meta', { charset: 'utf-8' }),
    h('meta', {
      'http-equiv': 'Content-Security-Policy',
      content: `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'`,
    }),
    h('meta', { name: 'viewport', content: 'width=device-width, initial-scale=1' }),
    h('meta', { name: 'color-scheme', content: 'light dark' }),
    h('meta', { name: 'referrer', content: 'no-referrer' }),
    h('title', {}, title),
    { html: `<style>${style}</style>` },
  )
}
