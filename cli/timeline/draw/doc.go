// Package draw owns how a run looks: an SVG with one bar for each resource, and an HTML page with
// that picture and the same as tables, for who does not see it. Neither loads anything from
// elsewhere. What is drawn is computed by package timeline.
//
// Nothing is told by colour alone: gates are hatched and end in a diamond, failures are crossed
// out, what was cut off has a dashed outline, and the critical path has a strong outline, a mark
// and a line through it. The colours are those of Okabe and Ito (https://jfly.uni-koeln.de/color/),
// which people with any colour vision tell apart.
package draw
