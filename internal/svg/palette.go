package svg

// Palette is the start of a picture's style: the colours of Okabe and Ito (https://jfly.uni-koeln.de/color/), which people with any
// colour vision tell apart, on light and dark. Outlines are to be in the ink's colour: orange on white has too little contrast by
// itself (WCAG 1.4.11).
const Palette = `
svg { --paper: #ffffff; --ink: #1b1b1b; --faint: #d4d4d4; --blue: #0072b2; --orange: #e69f00; --red: #d55e00; --green: #009e73;
  background: var(--paper); font: 11px system-ui, sans-serif; }
@media (prefers-color-scheme: dark) {
  svg { --paper: #17191d; --ink: #ededed; --faint: #3d4149; --blue: #56b4e9; --orange: #e69f00; --red: #ff7f2a; --green: #2cc79a; }
}
text { fill: var(--ink); }
.title { font-size: 16px; font-weight: 600; }
.paper { fill: var(--paper); }
.grid { stroke: var(--faint); }
`
