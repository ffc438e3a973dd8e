package draw

// style is the picture's own: it must also hold where the picture stands alone. Outlines are in the ink's colour because orange on
// white has too little contrast by itself (WCAG 1.4.11).
const style = `
svg { --paper: #ffffff; --ink: #1b1b1b; --faint: #d4d4d4; --action: #0072b2; --gate: #e69f00; --failed: #d55e00;
  background: var(--paper); font: 11px system-ui, sans-serif; }
@media (prefers-color-scheme: dark) {
  svg { --paper: #17191d; --ink: #ededed; --faint: #3d4149; --action: #56b4e9; --gate: #e69f00; --failed: #ff7f2a; }
}
text { fill: var(--ink); }
.title { font-size: 16px; font-weight: 600; }
.heading { font-weight: 600; }
.paper { fill: var(--paper); }
.grid { stroke: var(--faint); }
.action { fill: var(--action); }
.gate { fill: url(#hatched); stroke: var(--ink); stroke-width: .6; }
.failed { fill: url(#crossed); stroke: var(--ink); stroke-width: .6; }
.open { stroke: var(--ink); stroke-dasharray: 3 2; fill-opacity: .6; }
.critical { stroke: var(--ink); stroke-width: 1.8; }
.hatch-gate { fill: var(--gate); }
.hatch-failed { fill: var(--failed); }
.hatch-line { stroke: var(--ink); stroke-width: .8; }
.mark { fill: var(--ink); }
.path { fill: none; stroke: var(--ink); stroke-width: 1; stroke-opacity: .7; }
.wait { stroke: var(--ink); stroke-width: .6; stroke-dasharray: 1 2; }
.lag { fill: var(--ink); }
.span { fill: var(--faint); }
.onpath { font-weight: 600; }
`
