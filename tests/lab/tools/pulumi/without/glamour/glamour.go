// Package glamour is a stub of the Markdown renderer that `pulumi config env init` and `pulumi
// package info` use on a terminal. Without a renderer, `package info` shows the Markdown text.
package glamour

import (
	"errors"

	"strata/tests/lab/tools/pulumi/without/ansi"
)

// TermRenderer is a renderer. None is ever created.
type TermRenderer struct{}

// TermRendererOption is an option of NewTermRenderer.
type TermRendererOption struct{}

// WithAutoStyle returns an option without effect.
func WithAutoStyle() TermRendererOption { return TermRendererOption{} }

// WithStyles returns an option without effect.
func WithStyles(ansi.StyleConfig) TermRendererOption { return TermRendererOption{} }

// WithWordWrap returns an option without effect.
func WithWordWrap(int) TermRendererOption { return TermRendererOption{} }

// NewTermRenderer always fails.
func NewTermRenderer(...TermRendererOption) (*TermRenderer, error) { return nil, errNone }

// Render always fails.
func (*TermRenderer) Render(string) (string, error) { return "", errNone }

var errNone = errors.New("the lab's Pulumi renders no Markdown")
