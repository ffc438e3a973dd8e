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

// mountRoot gives this process a mount namespace of its own with the machine's root in it.
func mountRoot(spec Spec, d dir) error {
	// The namespace belongs to this thread; execve from it makes it the process's.
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

// unmountBelow unmounts the mounts in the machine's directory, so that a deletion never crosses
// into one.
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

// waitProcess waits for the end of a process that is no child.
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
		// The timeout bounds how late a cancelled context is noticed, not the end of the process.
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

// closeOnExec keeps the files that this process was started with from the processes that it starts:
// a caller's lock would be held as long as a machine runs.
func closeOnExec() error {
	const firstInherited = 3 // behind the standard streams
	if err := unix.CloseRange(firstInherited, ^uint(0), unix.CLOSE_RANGE_CLOEXEC); err != nil {
		return fmt.Errorf("closing inherited files: %w", err)
	}
	return nil
}

// diesWithParent makes the kernel kill a child when the thread that made it ends.
func diesWithParent() *unix.SysProcAttr { return &unix.SysProcAttr{Pdeathsig: unix.SIGKILL} }

// isOverlay reports whether a file system is an overlay, which cannot carry another.
func isOverlay(st unix.Statfs_t) bool { return st.Type == unix.OVERLAYFS_SUPER_MAGIC }
