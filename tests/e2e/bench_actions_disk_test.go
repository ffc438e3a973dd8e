//go:build bench

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// noSpace matches the messages of a full disk.
var noSpace = regexp.MustCompile(`(?i)no space left on device|no space in /|(disk|storage) (is )?full`)

// disk is a file system in memory that is mounted over a folder, so that a test fills only this
// folder.
type disk struct {
	// host is the machine that has the folder; empty for this machine.
	host string
	// mount and free are scripts that run on host. mount creates the file system, and fills it
	// unless late does so. free removes the file system.
	mount, free string
	// late is a script on this machine that fills the file system during the action. Optional.
	late string
}

// emptyDisk returns a disk without files and without free space.
func emptyDisk(host, folder string) func(*acted, *testing.T) disk {
	return func(*acted, *testing.T) disk {
		return disk{host: host, mount: mounted(folder, "1g") + filled(folder),
			free: "umount -l " + folder}
	}
}

// copiedDisk returns a disk with a copy of the folder's files and without free space.
func copiedDisk(host, folder string) func(*acted, *testing.T) disk {
	return func(*acted, *testing.T) disk {
		return disk{host: host, mount: withContent(folder) + filled(folder),
			free: "umount -l " + folder}
	}
}

// pushDisk returns a disk with room for the archive, until other data takes that room during the
// push.
func pushDisk(a *acted, t *testing.T) disk {
	info, err := os.Stat(filepath.Join(a.bundle, archive))
	require.NoError(t, err)
	room := info.Size() + 256<<10
	return disk{
		host: "agent-1", mount: mounted(imagesFolder, fmt.Sprint(room)),
		free: "umount -l " + imagesFolder,
		late: fmt.Sprintf("! head -c %d /dev/zero > /proc/%d/root%s/other", room,
			a.machines.pid(t, "agent-1"), imagesFolder),
	}
}

// stateDisk returns the disk of the stack's state; late fills it during the action. A drain or a
// canary writes to no other disk.
func stateDisk(a *acted, _ *testing.T) disk {
	return disk{late: filled(a.stateFolder()), free: "mount -o remount,size=2g " + a.stateFolder()}
}

// machineDisk returns the storage of the hypervisor, with no room for another machine.
func machineDisk(a *acted, _ *testing.T) disk {
	storage := func(size int) string {
		return fmt.Sprintf(`echo '{"local-lvm": %d, "local": 10}' > %s`, size,
			filepath.Join(a.pve.dir, "storage.json"))
	}
	return disk{mount: storage(4), free: storage(200)}
}

func (a *acted) stateFolder() string { return filepath.Join(a.dir, "state") }

func mounted(folder, size string) string {
	return fmt.Sprintf("mkdir -p %[1]s\nmount -t tmpfs -o size=%[2]s,mode=0755 strata-fault %[1]s\n", folder, size)
}

// withContent returns a script that mounts a file system over a folder and keeps the folder's
// content.
func withContent(folder string) string {
	return fmt.Sprintf("at=$(mktemp -d /run/strata-fault.XXXXXX)\n%[1]scp -a %[2]s/. $at/\nmount "+
		"--bind $at %[2]s\numount $at\nrmdir $at\n", mounted("$at", "2g"), folder)
}

// filled returns a script that removes all free space of a disk. The disk keeps at least one page,
// because a size of 0 means no limit.
func filled(folder string) string {
	return fmt.Sprintf("used=$(df -k --output=used %[1]s | tail -n 1)\nmount -o "+
		"remount,size=$((used > 4 ? used : 4))k %[1]s\n", folder)
}
