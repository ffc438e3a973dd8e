package machines

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// mountRoot moves this process into a mount namespace of its own, and mounts the machine's root
// there.
func mountRoot(spec Spec, d dir) error {
	// unshare changes only the calling thread. The exec that follows must be called from the same
	// thread.
	runtime.LockOSThread()
	if err := unix.Unshare(unix.CLONE_NEWNS); err != nil {
		return fmt.Errorf("making a mount namespace: %w", err)
	}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("making mounts private: %w", err)
	}
	options := d.layer().MountOptions(imageDir(spec.ImageSHA256))
	if err := unix.Mount("overlay", d.layer().Root(), "overlay", 0, options); err != nil {
		return fmt.Errorf("mounting the root of machine %s (%s): %w", spec.Name, options, err)
	}
	return nil
}

// unmountBelow unmounts everything below the machine's directory, so that the deletion does not
// delete files in a mounted file system.
func unmountBelow(top string) error {
	raw, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return fmt.Errorf("find mounts: %w", err)
	}
	var points []string
	for lines := bufio.NewScanner(strings.NewReader(string(raw))); lines.Scan(); {
		fields := strings.Fields(lines.Text())
		if len(fields) > 4 && strings.HasPrefix(fields[4], top+"/") {
			points = append(points, fields[4])
		}
	}
	for _, point := range slices.Backward(points) {
		if err := unix.Unmount(point, unix.MNT_DETACH); err != nil {
			return fmt.Errorf("unmounting %s: %w", point, err)
		}
	}
	return nil
}

// waitProcess waits until a process ends. The process need not be a child.
func waitProcess(ctx context.Context, pid int) error {
	fd, err := unix.PidfdOpen(pid, 0)
	if errors.Is(err, unix.ESRCH) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("watching process %d: %w", pid, err)
	}
	defer func() { _ = unix.Close(fd) }()
	for ctx.Err() == nil {
		// The timeout of 100 ms only limits how late the loop notices that ctx has ended.
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 100)
		if err != nil && !errors.Is(err, unix.EINTR) {
			return fmt.Errorf("watching process %d: %w", pid, err)
		}
		if n > 0 {
			return nil
		}
	}
	return ctx.Err()
}

// closeOnExec keeps inherited files from being passed on to new processes. Otherwise, a machine
// would hold the caller's locks as long as it runs.
func closeOnExec() error {
	const firstInherited = 3 // after the standard streams
	if err := unix.CloseRange(firstInherited, ^uint(0), unix.CLOSE_RANGE_CLOEXEC); err != nil {
		return fmt.Errorf("closing inherited files: %w", err)
	}
	return nil
}

// diesWithParent makes the kernel kill a child process when the thread that started it ends.
func diesWithParent() *unix.SysProcAttr { return &unix.SysProcAttr{Pdeathsig: unix.SIGKILL} }

// isOverlay reports whether a file system is an overlay.
func isOverlay(st unix.Statfs_t) bool { return st.Type == unix.OVERLAYFS_SUPER_MAGIC }
