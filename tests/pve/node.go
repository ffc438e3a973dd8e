package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// guest is one VM or template.
type guest struct {
	ID      int               `json:"id"`
	Config  map[string]string `json:"config"`
	Running bool              `json:"running"`
	DiskGiB int               `json:"diskGiB"`
	// Booted is true while a lab machine runs for the guest.
	Booted bool `json:"booted,omitempty"`
}

// node is the state of the node. Only one command at a time uses it.
type node struct {
	dir  string
	lock *os.File
	// storages has the sizes of the storages in GiB. A storage that is missing does not exist.
	storages map[string]int
	faults   map[string]string
}

func open(dir string) (*node, error) {
	lock, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX); err != nil {
		return nil, err
	}
	n := &node{dir: dir, lock: lock}
	for name, into := range map[string]any{"storage.json": &n.storages, "faults.json": &n.faults} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = json.Unmarshal(text, into)
		}
		if err != nil {
			return nil, err
		}
	}
	return n, nil
}

func (n *node) close() { _ = n.lock.Close() } // this also unlocks

func (n *node) file(id int) string {
	return filepath.Join(n.dir, "guests", strconv.Itoa(id)+".json")
}

// load reads a guest. Its error is that of Proxmox VE.
func (n *node) load(word string) (*guest, error) {
	id, err := strconv.Atoi(word)
	if err != nil || id < 100 {
		return nil, fmt.Errorf("400 Parameter verification failed.\nvmid: type check ('integer') "+
			"failed - got '%s'", word)
	}
	text, err := os.ReadFile(n.file(id))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("Configuration file 'nodes/pve/qemu-server/%d.conf' does not exist", id)
	}
	var g guest
	if err == nil {
		err = json.Unmarshal(text, &g)
	}
	return &g, err
}

func (n *node) save(g *guest) error {
	text, err := json.Marshal(g)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(n.file(g.ID)), 0o755); err != nil {
		return err
	}
	return os.WriteFile(n.file(g.ID), text, 0o600)
}

func (n *node) all() ([]*guest, error) {
	files, err := filepath.Glob(filepath.Join(n.dir, "guests", "*.json"))
	if err != nil {
		return nil, err
	}
	var guests []*guest
	for _, file := range files {
		id := filepath.Base(file)
		g, err := n.load(id[:len(id)-len(".json")])
		if err != nil {
			return nil, err
		}
		guests = append(guests, g)
	}
	return guests, nil
}

// room checks that a storage exists and has space for more GiB.
func (n *node) room(storage string, more int) error {
	limit, there := n.storages[storage]
	if !there {
		return fmt.Errorf("storage '%s' does not exist", storage)
	}
	guests, err := n.all()
	if err != nil {
		return err
	}
	used := more
	for _, g := range guests {
		used += g.DiskGiB
	}
	if used > limit {
		return fmt.Errorf("unable to create image: qemu-img: error while writing: No space left on device")
	}
	return nil
}
