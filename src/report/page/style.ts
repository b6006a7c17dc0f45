import { ownText } from "./html.ts";

/** Rows of a table as blocks. A screen reader still has its heads. */
const BLOCKS = ownText`
display:block;
thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
caption,tbody,tr,th,td{display:block;border:0;padding:0;width:auto;min-width:0;white-space:normal}
caption{padding-bottom:.5rem}
`;

/** Each row as a card, with a label for what is in it. */
const CARDS = ownText`${BLOCKS}
tbody tr{padding:.75rem 0;border-top:1px solid var(--line)}
.granted{width:auto}
.label{display:inline;color:var(--dim);margin-right:.35rem}
`;

const MATRIX_CARDS = ownText`
tbody tr{display:grid;grid-template-columns:repeat(auto-fill,minmax(11rem,1fr));gap:.2rem 1rem}
tbody th{grid-column:1/-1}
td.none{display:none}
.signs{display:inline-block;vertical-align:top}
`;

/** The style of the page. It names no address, and no font that is not on the machine. */
export const STYLE = ownText`
:root{color-scheme:light dark;--ground:#fbfbfa;--raised:#fff;--ink:#1d2024;--dim:#565c65;--line:#d9dce1;--accent:#1a56b0;
--bad:#a8201a;--bad-ground:#fcebea;--look:#7a4d00;--look-ground:#fcf3df;--good:#17613a;--good-ground:#e7f4ec;--bar:#4d7dbd;--bar-refused:#b4552d}
@media (prefers-color-scheme:dark){:root{--ground:#14161a;--raised:#1b1e24;--ink:#e7e9ec;--dim:#a5acb7;--line:#363c46;--accent:#8fb8f9;
--bad:#ff9d95;--bad-ground:#391c1a;--look:#f0c472;--look-ground:#32280f;--good:#82d8a4;--good-ground:#15301f;--bar:#6f9fdc;--bar-refused:#e08a5f}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%;text-size-adjust:100%;scroll-padding-top:1rem}
body{margin:0 auto;max-width:86rem;padding:clamp(1rem,4vw,3rem);background:var(--ground);color:var(--ink);
font:1rem/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;overflow-wrap:anywhere}
h1,h2,h3{line-height:1.25;text-wrap:balance}
h1{font-size:1.1rem;margin:0;font-weight:600}
h2{font-size:1.35rem;margin:0 0 .75rem}
h3{font-size:1rem;margin:0;display:inline}
h4{font-size:.9rem;margin:1.25rem 0 .25rem;color:var(--dim);font-weight:600}
p{margin:.5rem 0;max-width:72ch}
section{margin-top:3rem}
a{color:var(--accent);text-underline-offset:.15em}
code,.value{font-family:ui-monospace,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace;font-size:.875em}
code{background:var(--raised);border:1px solid var(--line);border-radius:.25rem;padding:.1em .35em;-webkit-box-decoration-break:clone;box-decoration-break:clone}
.hook{font-weight:600}
strong{font-weight:600}
.dim{color:var(--dim)}
.small{font-size:.875rem}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px;border-radius:.2rem}
.unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
header p{margin:.25rem 0 0}
nav ul{display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;list-style:none;margin:1rem 0 0;padding:0}
nav a{display:inline-block;padding:.25rem 0}
.banner{margin-top:1.5rem;padding:1.25rem 1.5rem;border:1px solid var(--line);border-left:.4rem solid;border-radius:.4rem;background:var(--raised)}
.banner h2{font-size:1.6rem;margin:0}
.banner.fine{border-left-color:var(--good)}.banner.fine h2{color:var(--good)}
.banner.look{border-left-color:var(--look)}.banner.look h2{color:var(--look)}
.banner.wrong{border-left-color:var(--bad)}.banner.wrong h2{color:var(--bad)}
.figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(6.5rem,1fr));gap:1rem;margin:1.5rem 0 0}
.figures div{display:flex;flex-direction:column-reverse;justify-content:flex-end;border-top:1px solid var(--line);padding-top:.5rem}
.figures dt{color:var(--dim);font-size:.875rem}
.figures dd{margin:0;font-size:1.6rem;line-height:1.2;font-variant-numeric:tabular-nums}
.things{list-style:none;padding:0;margin:1rem 0 0;max-width:88ch}
.things li{display:grid;grid-template-columns:5rem 1fr;gap:.25rem .75rem;padding:.6rem 0;border-top:1px solid var(--line)}
.things li p{margin:0}
.things code{display:inline-block;margin-top:.25rem}
.badge{justify-self:start;align-self:start;white-space:nowrap;font-size:.8125rem;font-weight:600;border:1px solid;border-radius:.3rem;padding:.05rem .45rem}
.badge.wrong,.badge.blocked,.badge.failed{color:var(--bad);background:var(--bad-ground)}
.badge.look,.badge.refused,.badge.monitored,.badge.asked{color:var(--look);background:var(--look-ground)}
.badge.fine{color:var(--good);background:var(--good-ground)}
.badge.passed,.badge.used,.badge.other{color:var(--dim);background:none;border-color:transparent;padding-left:0;font-weight:400}
.badge.changed,.badge.decided{color:var(--accent);background:var(--raised)}
.facts{display:grid;grid-template-columns:minmax(7rem,max-content) 1fr;gap:.35rem 1.25rem;margin:.75rem 0}
.facts dt{color:var(--dim)}
.facts dd{margin:0;min-width:0}
table{border-collapse:collapse;width:100%;font-size:.9375rem;font-variant-numeric:tabular-nums}
caption{text-align:left;color:var(--dim);font-size:.875rem;padding-bottom:.5rem}
th,td{text-align:left;vertical-align:top;padding:.45rem .75rem .45rem 0;border-bottom:1px solid var(--line)}
thead th{font-size:.8125rem;color:var(--dim);font-weight:600;border-bottom-width:2px}
tbody th{font-weight:400}
.label{display:none}
.matrix tbody th{min-width:11rem}
.matrix td{white-space:nowrap;font-size:.875rem}
.matrix .none{color:var(--dim)}
.is-used{color:var(--good)}.is-unused{color:var(--dim)}.is-refused{color:var(--bad)}.is-asked{color:var(--look)}
.legend{display:flex;flex-wrap:wrap;gap:.25rem 1.5rem;list-style:none;padding:0;margin:.75rem 0 1.5rem;font-size:.875rem}
.timeline td,.timeline th{white-space:nowrap}
.timeline .hook{font-weight:400}
.timeline .what{white-space:normal;width:60%}
.timeline .who{white-space:normal;min-width:8rem}
.uses .number,.uses thead th:nth-child(2),.uses thead th:nth-child(3){text-align:right;white-space:nowrap}
.uses .chart{width:60%}
.powers .granted{width:55%}
svg{display:block;width:100%;height:2.5rem}
.bar{fill:var(--bar)}.bar-refused{fill:var(--bar-refused)}.axis{fill:var(--line)}
details{border-top:1px solid var(--line);padding:.25rem 0}
details:last-of-type{border-bottom:1px solid var(--line)}
details details{margin-top:.5rem}
summary{cursor:pointer;padding:.5rem 0}
summary .dim{margin-left:.5rem}
.inside{padding:.25rem 0 1.25rem}
ul.plain{margin:.25rem 0;padding-left:1.1rem}
form{display:flex;flex-wrap:wrap;gap:.75rem 1.25rem;align-items:end;margin:1rem 0}
form[hidden]{display:none}
label{font-size:.875rem;color:var(--dim)}
label.row{display:flex;gap:.4rem;align-items:center;padding:.35rem 0}
select,input[type=search]{display:block;font:inherit;color:var(--ink);background:var(--raised);border:1px solid var(--dim);border-radius:.3rem;padding:.3rem .5rem;max-width:100%;width:14rem;height:2.4rem}
input[type=checkbox]{width:1.1rem;height:1.1rem;accent-color:var(--accent)}
[hidden]{display:none!important}
footer{margin-top:3rem;border-top:1px solid var(--line);padding-top:1rem;color:var(--dim);font-size:.875rem}
@media (max-width:72rem){
.matrix{${CARDS}${MATRIX_CARDS}}
}
@media (max-width:60rem){
.powers{${CARDS}.label{display:block;margin-top:.35rem;font-size:.8125rem}}
}
.matrix.many{${CARDS}${MATRIX_CARDS}}
@media (max-width:44rem){
.timeline{${BLOCKS}}
.timeline tr{display:grid;grid-template-columns:auto 1fr;gap:.15rem .75rem;padding:.6rem 0;border-top:1px solid var(--line)}
.timeline .what,.timeline .who{grid-column:1/-1;width:auto}
}
@media (max-width:30rem){
.things li{grid-template-columns:1fr}
.facts{grid-template-columns:1fr;gap:0}
.facts dd{margin-bottom:.5rem}
.banner{padding:1rem}
.uses{${BLOCKS}}
.uses tr{display:grid;grid-template-columns:1fr auto auto;gap:.15rem 1rem;padding:.6rem 0;border-top:1px solid var(--line)}
.uses .chart{grid-column:1/-1;width:auto}
.uses .label{display:inline;margin-right:.35rem}
select,input[type=search],form label{width:100%}
label.row{width:auto}
}
@media print{nav,form{display:none}body{max-width:none;padding:0}}
`;
