/** @file How the report looks: the light paper theme as one style sheet, without a font or a picture from elsewhere. */

export const STYLE = `
:root{--ink:#2a241d;--soft:#665c4e;--line:#e0d7c5;--strong:#c6baa4;--rubric:#b5321b;--lapis:#2b4f9e;--green:#3a6a4f;
--serif:"Iowan Old Style","Palatino Linotype",Palatino,"Book Antiqua","URW Palladio L","Liberation Serif",Georgia,serif;
--sans:Seravek,"Gill Sans Nova",Ubuntu,Calibri,"Source Sans 3","Noto Sans","Liberation Sans",system-ui,sans-serif;
--mono:ui-monospace,"SF Mono","Cascadia Code",Menlo,Consolas,"Liberation Mono",monospace}
*{box-sizing:border-box}
html{background:#fff;color:var(--ink);font:400 15px/1.55 var(--sans);-webkit-text-size-adjust:100%;text-size-adjust:100%}
body{margin:0 auto;max-width:52rem;padding:3.5rem 1.5rem 6rem;overflow-wrap:anywhere}
h1,h2,h3,h4,p,ul,ol,dl,dd,figure,blockquote{margin:0}
h1{font:600 2.1rem/1.2 var(--serif);text-wrap:balance}
h2{font:600 1.35rem/1.3 var(--serif)}
h3{font:600 1.05rem/1.35 var(--serif)}
code,pre,.num{font-family:var(--mono);font-size:.92em;font-variant-numeric:tabular-nums}
pre{padding:.75rem 1rem;overflow:auto;background:#f8f4eb}
.soft,.stamp{color:var(--soft);font-size:.82rem}
.lead{margin-top:.5rem;color:var(--soft)}
section.cell{display:grid;grid-template-columns:minmax(0,1fr);gap:.9rem;margin-top:2.6rem;padding-top:1.1rem;border-top:1px solid var(--strong)}
.cellhead{display:flex;flex-wrap:wrap;align-items:baseline;justify-content:space-between;gap:.2rem 1.5rem}
.cellhead .place{color:var(--soft);font-weight:400}
.note{display:grid;gap:.7rem;font:400 1.0625rem/1.65 var(--serif)}
.note ul,.note ol{padding-left:1.3rem}
.note blockquote{padding-left:1rem;border-left:2px solid var(--strong);color:var(--soft)}
.facts{font-family:var(--serif)}
dl{display:grid;grid-template-columns:repeat(auto-fill,minmax(11rem,1fr));gap:.55rem 1.5rem}
dt{color:var(--soft);font-size:.78rem}
dd{font-variant-numeric:tabular-nums}
.scroll{overflow-x:auto}
table{width:100%;border-collapse:collapse;font-size:.85rem;font-variant-numeric:tabular-nums}
th,td{padding:.28rem 1rem .28rem 0;border-bottom:1px solid var(--line);text-align:left;vertical-align:top}
th{color:var(--soft);font-weight:400;white-space:nowrap}
th:last-child,td:last-child{padding-right:0}
td.n,th.n{text-align:right;white-space:nowrap}
td.key{white-space:nowrap}
td.said{min-width:14rem;font:400 .98rem/1.45 var(--serif)}
del{color:var(--soft)}ins{color:var(--rubric);text-decoration:underline wavy 1px;text-underline-offset:.2em}
.answer{font:400 1.35rem/1.4 var(--serif)}
.question{color:var(--soft);font:italic 400 1.05rem/1.4 var(--serif)}
.cites{color:var(--soft);font-size:.82rem}
.exchange{display:grid;grid-template-columns:minmax(0,1fr);gap:.45rem;padding-bottom:1.1rem}
.exchange+.exchange{padding-top:1.1rem;border-top:1px solid var(--line)}
.exact,.open{color:var(--green)}.inexact,.shut{color:var(--rubric)}.open{color:var(--lapis)}
figure{display:grid;grid-template-columns:minmax(0,1fr);gap:.5rem;margin-top:.8rem;break-inside:avoid}
figcaption{display:grid;gap:.1rem}
figcaption p{color:var(--soft);font-size:.85rem}
.drawing>svg{display:block;max-width:100%;height:auto}
details{font-size:.85rem}
summary{color:var(--lapis);cursor:pointer}
.table{max-height:24rem;overflow:auto}
footer{margin-top:3.5rem;padding-top:1rem;border-top:1px solid var(--strong);color:var(--soft);font-size:.82rem}
@media(max-width:599px){body{padding:1.75rem 1rem 4rem}h1{font-size:1.7rem}.drawing{overflow-x:auto}.drawing>svg{max-width:none}}
@media print{body{padding:0;max-width:none}details{display:none}section.cell{break-inside:auto}}
`;
