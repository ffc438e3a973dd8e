// Package glamour stands in for the renderer of Markdown with which `pulumi config env init` shows
// a terminal what it will do.
package glamour

import "errors"

// TermRenderer is never made.
type TermRenderer struct{}

// TermRendererOption is of one.
type TermRendererOption struct{}

// WithAutoStyle says nothing.
func WithAutoStyle() TermRendererOption { return TermRendererOption{} }

// WithWordWrap says nothing.
func WithWordWrap(int) TermRendererOption { return TermRendererOption{} }

// NewTermRenderer refuses.
func NewTermRenderer(...TermRendererOption) (*TermRenderer, error) { return nil, errNone }

// Render refuses.
func (*TermRenderer) Render(string) (string, error) { return "", errNone }

var errNone = errors.New("the lab's Pulumi renders no Markdown")
