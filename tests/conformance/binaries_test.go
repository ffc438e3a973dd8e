package conformance_test

import (
	"context"
	"os"
	"path/filepath"
	"sync"

	"strata/tests/conformance/internal/plugin"
)

// located finds or builds each plugin, once in a test run.
type located struct {
	mu    sync.Mutex
	dir   string
	found map[string]binary
}

type binary struct {
	path, reason string
	err          error
}

var binaries = &located{found: map[string]binary{}}

func (l *located) get(name string) binary {
	l.mu.Lock()
	defer l.mu.Unlock()
	if b, ok := l.found[name]; ok {
		return b
	}
	var b binary
	b.path, b.reason, b.err = plugin.Locate(context.Background(), name)
	l.found[name] = b
	return b
}

// folder returns the temporary folder of the test run, and creates it at the first call.
func (l *located) folder() (string, error) {
	if l.dir != "" {
		return l.dir, nil
	}
	dir, err := os.MkdirTemp("", "strata-conformance-")
	l.dir = dir
	return dir, err
}

func (l *located) remove() {
	if l.dir != "" {
		_ = os.RemoveAll(l.dir)
	}
}

func (l *located) path(name string) string   { return l.get(name).path }
func (l *located) reason(name string) string { return l.get(name).reason }
func (l *located) err(name string) error     { return l.get(name).err }

// subfolder creates a folder in the temporary folder of the test run.
func (l *located) subfolder(name string) (string, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	dir, err := l.folder()
	if err != nil {
		return "", err
	}
	dir = filepath.Join(dir, name)
	return dir, os.MkdirAll(dir, 0o700)
}
