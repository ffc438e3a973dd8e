package draw

import (
	"slices"

	"strata/internal/text/svg"
)

// sheet is the picture's own: it must also hold where the picture stands alone.
var sheet = slices.Concat(svg.Common, svg.Sheet{
	svg.Draw(".heading", "font-weight", "600"),
	svg.Draw(".action", "fill", "--blue"),
	svg.Draw(".gate", "fill", "url(#hatched)", "stroke", "--ink", "stroke-width", ".6"),
	svg.Draw(".failed", "fill", "url(#crossed)", "stroke", "--ink", "stroke-width", ".6"),
	svg.Draw(".open", "stroke", "--ink", "stroke-dasharray", "3 2", "fill-opacity", ".6"),
	svg.Draw(".critical", "stroke", "--ink", "stroke-width", "1.8"),
	svg.Draw(".hatch-gate", "fill", "--orange"),
	svg.Draw(".hatch-failed", "fill", "--red"),
	svg.Draw(".hatch-line", "fill", "none", "stroke", "--ink", "stroke-width", ".8"),
	svg.Draw(".mark", "fill", "--ink"),
	svg.Draw(".path", "fill", "none", "stroke", "--ink", "stroke-width", "1", "stroke-opacity", ".7"),
	svg.Draw(".wait", "stroke", "--ink", "stroke-width", ".6", "stroke-dasharray", "1 2"),
	svg.Draw(".lag", "fill", "--ink"),
	svg.Draw(".span", "fill", "--faint"),
	svg.Draw(".onpath", "font-weight", "600"),
	svg.Draw(".pointed", "fill", "none", "pointer-events", "all"),
})
