//go:build !linux

package machines

import (
	"context"
	"runtime"

	"golang.org/x/sys/unix"

	"strata/tests/lab/machines/host"
)

// Only Linux has machines. Each change of a machine begins with host.Lock, which reports that, so
// these functions are never reached.

func mountRoot(Spec, dir) error { return host.CheckSystem(runtime.GOOS) }

func unmountBelow(string) error { return host.CheckSystem(runtime.GOOS) }

func waitProcess(context.Context, int) error { return host.CheckSystem(runtime.GOOS) }

func closeOnExec() error { return host.CheckSystem(runtime.GOOS) }

func diesWithParent() *unix.SysProcAttr { return nil }

func isOverlay(unix.Statfs_t) bool { return false }
