// Package svg owns how an SVG is written: elements as values, so that encoding/xml escapes every
// text and no picture can be malformed. It knows nothing of what is drawn.
package svg
