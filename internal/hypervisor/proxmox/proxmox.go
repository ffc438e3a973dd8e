package proxmox

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"strata/internal/hypervisor"
	"strata/internal/hypervisor/driver"
)

// proxmox drives qm, pvesh and pvesm of Proxmox VE 8 and 9. Their manual pages define the syntax,
// https://pve.proxmox.com/pve-docs/qm.1.html. tests/pve checks each command against that syntax.
type proxmox struct{ driver.Runner }

// New returns the driver of one machine.
func New(host hypervisor.Host, spec hypervisor.Spec) driver.Driver {
	return &proxmox{driver.Runner{Host: host, Spec: spec}}
}

// tag shows users which machines belong to stacks. The exact mark is in the description.
const tag = "strata"

// guestEntry is one guest in the list of `pvesh get /cluster/resources --type vm`.
type guestEntry struct {
	VMID   int    `json:"vmid"`
	Name   string `json:"name"`
	Node   string `json:"node"`
	Status string `json:"status"`
	Type   string `json:"type"`
	Tags   string `json:"tags"`
}

// seedSlot is the drive with the seed: the last one of the disk's controller. Every image has a
// driver for that controller. A kernel of a cloud image may have no driver for SATA, which machines
// of type q35 use for their ide drives.
const seedSlot = "scsi30"

// guestConfig holds the parts of a guest's configuration that Strata reads. Some releases of
// Proxmox VE write numbers as texts.
type guestConfig struct {
	Description string      `json:"description"`
	Cores       json.Number `json:"cores"`
	Memory      json.Number `json:"memory"`
	SCSI0       string      `json:"scsi0"`
	Template    json.Number `json:"template"`
	// seeds are the drives with a seed that Proxmox VE makes itself. cloud-init would use the first
	// seed that it finds.
	seeds []string
}

// driveSlot matches the key of a drive in a guest's configuration, qm.conf(5).
var driveSlot = regexp.MustCompile(`^(ide|sata|scsi|virtio)\d+$`)

// UnmarshalJSON implements json.Unmarshaler.
func (c *guestConfig) UnmarshalJSON(text []byte) error {
	type plain guestConfig
	if err := json.Unmarshal(text, (*plain)(c)); err != nil {
		return err
	}
	var all map[string]any
	if err := json.Unmarshal(text, &all); err != nil {
		return err
	}
	for _, key := range slices.Sorted(maps.Keys(all)) {
		volume, _, _ := strings.Cut(fmt.Sprint(all[key]), ",")
		if driveSlot.MatchString(key) &&
			strings.HasSuffix(strings.TrimSuffix(strings.TrimSuffix(volume, ".qcow2"), ".raw"),
				"cloudinit") {
			c.seeds = append(c.seeds, key)
		}
	}
	return nil
}

// get reads a path of the API by pvesh.
func (p *proxmox) get(ctx context.Context, into any, words ...string) error {
	output, err := p.Command(ctx, append([]string{"pvesh", "get"},
		append(words, "--output-format", "json")...)...)
	if err != nil {
		return err
	}
	if err := json.Unmarshal([]byte(output), into); err != nil {
		return fmt.Errorf("%s: answer to pvesh get %s: %w", p.Host, words[0], err)
	}
	return nil
}

func (p *proxmox) guests(ctx context.Context) ([]guestEntry, error) {
	var all []guestEntry
	return all, p.get(ctx, &all, "/cluster/resources", "--type", "vm")
}

func (p *proxmox) config(ctx context.Context, guest guestEntry) (guestConfig, error) {
	var config guestConfig
	return config, p.get(ctx, &config, fmt.Sprintf("/nodes/%s/qemu/%d/config", guest.Node,
		guest.VMID))
}

// Find looks for the machine by its name in the whole cluster, and for any guest with its number.
func (p *proxmox) Find(ctx context.Context) (*driver.Found, error) {
	all, err := p.guests(ctx)
	if err != nil {
		return nil, err
	}
	return p.findGuest(ctx, all)
}

// findGuest finds the machine in the cluster's list of guests.
func (p *proxmox) findGuest(ctx context.Context, all []guestEntry) (*driver.Found, error) {
	for _, guest := range all {
		if guest.Name != p.Spec.Name() || guest.Type != "qemu" {
			continue
		}
		config, err := p.config(ctx, guest)
		if err != nil {
			return nil, err
		}
		have := config.describeGuest(guest)
		if !p.Spec.Owns(have.Mark) {
			return nil, p.Spec.Foreign(p.Host.String(),
				fmt.Sprintf("VM %d is called %s", guest.VMID, guest.Name),
				"rename the node or the stack, or the VM", have.Mark)
		}
		if p.Spec.ID != 0 && guest.VMID != p.Spec.ID {
			return nil, fmt.Errorf(
				"%s is VM %d, and the configuration says %d; a VM cannot change its number: set "+
					"it back, or replace the machine", p.Spec.Name(), guest.VMID, p.Spec.ID)
		}
		return have, nil
	}
	taken := slices.IndexFunc(all, func(guest guestEntry) bool {
		return p.Spec.ID != 0 &&
			guest.VMID == p.Spec.ID
	})
	if taken >= 0 {
		return nil, &hypervisor.ForeignError{Where: p.Host.String(),
			What: fmt.Sprintf("VM number %d is taken by %s", p.Spec.ID, all[taken].Name),
			Fix:  "set another strata:hosts.nodes[].vm.id, or none"}
	}
	return nil, nil
}

func (c guestConfig) describeGuest(guest guestEntry) *driver.Found {
	number := func(n json.Number) int { value, _ := strconv.Atoi(n.String()); return value }
	return &driver.Found{
		ID: strconv.Itoa(guest.VMID), Mark: hypervisor.MarkIn(c.Description), Note: c.Description,
		Running: guest.Status == "running",
		CPUs:    number(c.Cores), MemoryMiB: number(c.Memory), DiskGiB: diskSize(c.SCSI0),
	}
}

// diskSize parses size=20G in a disk's configuration, in GiB.
func diskSize(disk string) int {
	for _, part := range strings.Split(disk, ",") {
		size, ok := strings.CutPrefix(part, "size=")
		if !ok {
			continue
		}
		value, err := strconv.ParseFloat(strings.TrimRight(size, "KMGT"), 64)
		if err != nil {
			return 0
		}
		switch size[len(size)-1] {
		case 'T':
			return int(value * 1024)
		case 'G':
			return int(value)
		case 'M':
			return int(value / 1024)
		}
	}
	return 0
}

// imagePath returns the path of the stack's image on the node.
func (p *proxmox) imagePath() string {
	return fmt.Sprintf("/var/lib/strata-images/%s-%.12s.qcow2", p.Spec.Stack, p.Spec.Image.SHA256)
}

// seedVolume returns the seed's name in its storage.
func (p *proxmox) seedVolume() string {
	return p.Spec.Proxmox.SeedStorage + ":iso/" + p.Spec.Name() + "-seed.iso"
}

// PutImage copies the image to the node, where `qm` imports it. The file gets its name only when it
// is complete.
func (p *proxmox) PutImage(ctx context.Context) error {
	path := p.imagePath()
	if sum, err := p.Command(ctx, "sha256sum", path); err == nil &&
		strings.HasPrefix(sum, p.Spec.Image.SHA256) {
		return nil
	}
	return p.WithImage(ctx, func(content io.Reader,
		size int64) error {
		return p.write(ctx, path, content, size)
	})
}

func (p *proxmox) RemoveImage(ctx context.Context) error {
	_, err := p.Command(ctx, "sh", "-c", `set -eu
rm -f -- "$1"
dir=$(dirname "$1")
if [ -d "$dir" ]; then rmdir -p --ignore-fail-on-non-empty -- "$dir"; fi`, "strata", p.imagePath())
	return err
}

// putSeed writes the seed into its storage, readable by root only, because it has the machine's
// host key.
func (p *proxmox) putSeed(ctx context.Context, seed []byte) error {
	path, err := p.Command(ctx, "pvesm", "path", p.seedVolume())
	if err != nil {
		return err
	}
	if !strings.HasPrefix(path, "/") {
		return fmt.Errorf(
			"%s: storage %s has no folder for %s; set strata:hosts.proxmox.seedStorage to one of "+
				"type dir or nfs with content iso",
			p.Host, p.Spec.Proxmox.SeedStorage, p.seedVolume())
	}
	return p.write(ctx, path, bytes.NewReader(seed), int64(len(seed)))
}

// isNumberTaken reports whether a command failed because another client has taken its VM number
// meanwhile.
func isNumberTaken(err error) bool { return strings.Contains(err.Error(), "already exists") }
