//go:build !linux

package machines

import (
	"context"
	"runtime"

	"golang.org/x/sys/unix"

	"strata/tests/lab/machines/host"
)

// Machines run only on Linux. Each change of a machine begins with host.Lock, which returns an
// error on other systems. So these functions are never called.

func mountRoot(Spec, dir) error { return host.CheckSystem(runtime.GOOS) }

func unmountBelow(string) error { return host.CheckSystem(runtime.GOOS) }

func waitProcess(context.Context, int) error { return host.CheckSystem(runtime.GOOS) }

func closeOnExec() error { return host.CheckSystem(runtime.GOOS) }

func diesWithParent() *unix.SysProcAttr { return nil }

func isOverlay(unix.Statfs_t) bool { return false }
