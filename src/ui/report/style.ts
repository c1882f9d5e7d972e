/** @file The style of the report's page in addition to the app's style sheets. */

export const STYLE = `
html{background:#fff}
body{margin:0 auto;max-width:52rem;padding:3.5rem 1.5rem 6rem;overflow-wrap:anywhere}
h1{font:600 2.1rem/1.2 var(--serif);text-wrap:balance}
h2{font:600 1.35rem/1.3 var(--serif)}
h3{font:600 1.05rem/1.35 var(--serif)}
pre{padding:.75rem 1rem;overflow:auto;background:var(--paper)}
.soft,.stamp,.lead{color:var(--ink-soft)}
.soft,.stamp{font-size:.82rem}
.lead{margin-top:.5rem}
section.cell{display:grid;grid-template-columns:minmax(0,1fr);gap:.9rem;margin-top:2.6rem;padding-top:1.1rem;border-top:1px solid var(--hairline-strong)}
.cellhead{display:flex;flex-wrap:wrap;align-items:baseline;justify-content:space-between;gap:.2rem 1.5rem}
.cellhead .place{color:var(--ink-soft);font-weight:400}
.note{display:grid;gap:.7rem;font:400 1.0625rem/1.65 var(--serif)}
.note ul,.note ol{padding-left:1.3rem}
.note blockquote{padding-left:1rem;border-left:2px solid var(--hairline-strong);color:var(--ink-soft)}
dl.numbers{display:grid;grid-template-columns:repeat(auto-fill,minmax(11rem,1fr));gap:.55rem 1.5rem}
dl.numbers dt{color:var(--ink-soft);font-size:.78rem}
.scroll,[data-table]{overflow-x:auto}
:where(table){width:100%;font-size:.85rem}
:where(th,td){padding:.28rem 1rem .28rem 0;border-bottom:1px solid var(--hairline);font-weight:400;text-align:left;vertical-align:top}
figure{display:grid;grid-template-columns:minmax(0,1fr);gap:.5rem;margin-top:.8rem;break-inside:avoid}
figcaption{display:grid;gap:.1rem}
figcaption p{color:var(--ink-soft);font-size:.85rem}
.drawing>svg{display:block;max-width:100%;height:auto}
summary{color:var(--lapis);cursor:pointer}
details .scroll{max-height:24rem;overflow:auto}
footer{margin-top:3.5rem;padding-top:1rem;border-top:1px solid var(--hairline-strong);color:var(--ink-soft);font-size:.82rem}
@media(max-width:599px){body{padding:1.75rem 1rem 4rem}h1{font-size:1.7rem}.drawing{overflow-x:auto}.drawing>svg{max-width:none}}
@media print{body{padding:0;max-width:none}figure details{display:none}section.cell{break-inside:auto}}
`;
