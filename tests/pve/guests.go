package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"strconv"
	"strings"
)

// free checks that no guest has a VMID.
func (n *node) free(word string) (int, error) {
	id, err := strconv.Atoi(word)
	if err != nil || id < 100 {
		return 0, fmt.Errorf("400 Parameter verification failed.\nvmid: type check ('integer') failed - got '%s'", word)
	}
	if _, err := os.Stat(n.file(id)); err == nil {
		return 0, fmt.Errorf("unable to create VM %d - VM %d already exists on node 'pve'", id, id)
	}
	return id, nil
}

func (n *node) create(c call) error {
	id, err := n.free(c.words[0])
	if err != nil {
		return err
	}
	g := &guest{ID: id, Config: map[string]string{}}
	maps.Copy(g.Config, c.options)
	if disk := g.Config["scsi0"]; disk != "" {
		storage, rest, _ := strings.Cut(disk, ":")
		size, source, imports := strings.Cut(rest, ",import-from=")
		if !imports || size != "0" {
			return errors.New("the stand-in only imports disks: <storage>:0,import-from=<file>")
		}
		source, _, _ = strings.Cut(source, ",")
		if _, err := os.Stat(source); err != nil {
			return fmt.Errorf("unable to create VM %d - can't open '%s': No such file or directory",
				id, source)
		}
		if err := n.room(storage, 2); err != nil {
			return fmt.Errorf("unable to create VM %d - %w", id, err)
		}
		g.attach(storage, 2)
	}
	return n.save(g)
}

// attach gives a guest its disk.
func (g *guest) attach(storage string, size int) {
	g.DiskGiB = size
	g.Config["scsi0"] = fmt.Sprintf("%s:vm-%d-disk-0,size=%dG", storage, g.ID, size)
}

func (n *node) clone(c call) error {
	from, err := n.load(c.words[0])
	if err != nil {
		return err
	}
	id, err := n.free(c.words[1])
	if err != nil {
		return err
	}
	g := &guest{ID: id, Config: maps.Clone(from.Config)}
	delete(g.Config, "template")
	storage := c.options["storage"]
	if storage == "" || c.options["full"] != "1" {
		return errors.New("the stand-in only makes full clones to a named storage")
	}
	if err := n.room(storage, from.DiskGiB); err != nil {
		return fmt.Errorf("clone failed: %w", err)
	}
	g.attach(storage, from.DiskGiB)
	for _, key := range []string{"name", "description"} {
		if value, ok := c.options[key]; ok {
			g.Config[key] = value
		}
	}
	return n.save(g)
}

func (n *node) set(c call) error {
	g, err := n.load(c.words[0])
	if err != nil {
		return err
	}
	for key, value := range c.options {
		switch key {
		case "delete":
			for _, name := range strings.Split(value, ",") {
				delete(g.Config, name)
			}
			continue
		case "scsi30":
			volume, _, _ := strings.Cut(value, ",")
			path, err := n.volume(volume)
			if err != nil {
				return err
			}
			if _, err := os.Stat(path); err != nil {
				return fmt.Errorf("volume '%s' does not exist", volume)
			}
		}
		g.Config[key] = value
	}
	return n.save(g)
}

// resize accepts an absolute size, and refuses a smaller one.
func (n *node) resize(c call) error {
	g, err := n.load(c.words[0])
	if err != nil {
		return err
	}
	size, err := strconv.Atoi(strings.TrimSuffix(c.words[2], "G"))
	if err != nil || c.words[1] != "scsi0" {
		return fmt.Errorf("400 Parameter verification failed.\nsize: value does not match the regex pattern")
	}
	if size < g.DiskGiB {
		return errors.New("shrinking disks is not supported")
	}
	storage, _, _ := strings.Cut(g.Config["scsi0"], ":")
	if err := n.room(storage, size-g.DiskGiB); err != nil {
		return err
	}
	g.attach(storage, size)
	return n.save(g)
}

func (n *node) destroy(c call) error {
	g, err := n.load(c.words[0])
	if err != nil {
		return err
	}
	if g.Running {
		return fmt.Errorf("VM %d is running - destroy failed", g.ID)
	}
	if err := g.remove(); err != nil {
		return err
	}
	return os.Remove(n.file(g.ID))
}
