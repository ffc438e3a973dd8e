//go:build !linux

package nspawn

import (
	"context"
	"runtime"

	"golang.org/x/sys/unix"

	"strata/internal/nspawn/host"
)

// There are no machines but on Linux: host.Lock, which each change of one begins with, says so, and
// none of these is reached.

func mountRoot(Spec, dir) error { return host.CheckSystem(runtime.GOOS) }

func unmountBelow(string) error { return host.CheckSystem(runtime.GOOS) }

func waitProcess(context.Context, int) error { return host.CheckSystem(runtime.GOOS) }

func diesWithParent() *unix.SysProcAttr { return nil }

func isOverlay(unix.Statfs_t) bool { return false }
