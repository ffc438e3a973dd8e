// Package glamour stands in for the renderer of Markdown with which `pulumi config env init` and
// `pulumi package info` write to a terminal. The second shows the Markdown itself without one.
package glamour

import (
	"errors"

	"strata/tests/lab/tools/pulumi/without/ansi"
)

// TermRenderer is never made.
type TermRenderer struct{}

// TermRendererOption is of one.
type TermRendererOption struct{}

// WithAutoStyle says nothing.
func WithAutoStyle() TermRendererOption { return TermRendererOption{} }

// WithStyles says nothing.
func WithStyles(ansi.StyleConfig) TermRendererOption { return TermRendererOption{} }

// WithWordWrap says nothing.
func WithWordWrap(int) TermRendererOption { return TermRendererOption{} }

// NewTermRenderer refuses.
func NewTermRenderer(...TermRendererOption) (*TermRenderer, error) { return nil, errNone }

// Render refuses.
func (*TermRenderer) Render(string) (string, error) { return "", errNone }

var errNone = errors.New("the lab's Pulumi renders no Markdown")
