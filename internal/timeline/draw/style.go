package draw

import "strata/internal/svg"

// style is the picture's own: it must also hold where the picture stands alone.
const style = svg.Palette + `
.heading { font-weight: 600; }
.action { fill: var(--blue); }
.gate { fill: url(#hatched); stroke: var(--ink); stroke-width: .6; }
.failed { fill: url(#crossed); stroke: var(--ink); stroke-width: .6; }
.open { stroke: var(--ink); stroke-dasharray: 3 2; fill-opacity: .6; }
.critical { stroke: var(--ink); stroke-width: 1.8; }
.hatch-gate { fill: var(--orange); }
.hatch-failed { fill: var(--red); }
.hatch-line { stroke: var(--ink); stroke-width: .8; }
.mark { fill: var(--ink); }
.path { fill: none; stroke: var(--ink); stroke-width: 1; stroke-opacity: .7; }
.wait { stroke: var(--ink); stroke-width: .6; stroke-dasharray: 1 2; }
.lag { fill: var(--ink); }
.span { fill: var(--faint); }
.onpath { font-weight: 600; }
`
