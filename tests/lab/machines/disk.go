package machines

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// spareBytes is the space that must remain free for a node's images and logs: 2 GiB.
const spareBytes = 2 << 30

// checkDisk returns an error if the state directory has too little free space, or is on an overlay
// file system. An overlay cannot be on another overlay.
func checkDisk() error {
	if err := os.MkdirAll(machinesDir(), 0o700); err != nil {
		return fmt.Errorf("making %s: %w", machinesDir(), err)
	}
	var st unix.Statfs_t
	if err := unix.Statfs(stateDir, &st); err != nil {
		return fmt.Errorf("read the disk of %s: %w", stateDir, err)
	}
	if isOverlay(st) {
		return fmt.Errorf(
			"%s is on an overlay file system, which cannot carry the machines' own; mount a disk or a volume there",
			stateDir)
	}
	return needFree(st, 0)
}

func checkSpaceFor(f *os.File) error {
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("read %s: %w", f.Name(), err)
	}
	var st unix.Statfs_t
	if err := unix.Statfs(stateDir, &st); err != nil {
		return fmt.Errorf("read the disk of %s: %w", stateDir, err)
	}
	return needFree(st, uint64(info.Size())) // a size is never negative
}

func needFree(st unix.Statfs_t, more uint64) error {
	free, need := st.Bavail*uint64(st.Bsize), more+spareBytes // a size is not negative
	if free < need {
		return fmt.Errorf(
			"disk full: %s has %d MiB free, expected at least %d MiB; free some space or mount a larger disk there",
			stateDir, free>>20, need>>20)
	}
	return nil
}
