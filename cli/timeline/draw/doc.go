// Package draw draws a run as an SVG with one bar for each resource. It also writes an HTML page
// with that picture, and with the same values as tables for readers who cannot see the picture.
// Neither file loads anything from elsewhere. Package timeline computes the values.
//
// Colour is never the only mark of a bar's state. Gates are hatched and end in a diamond, failures
// are crossed out, and interrupted bars have a dashed outline. The critical path has a strong
// outline, a mark and a line through it. The colours are those of Okabe and Ito
// (https://jfly.uni-koeln.de/color/), which colour-blind readers can distinguish.
package draw
