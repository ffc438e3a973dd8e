package proxmox

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"strata/internal/hypervisor"
	"strata/internal/hypervisor/driver"
)

// numberTries bounds the attempts to get a free number. Proxmox VE returns the same number to
// clients that request one at the same time, and only one of them can use it.
const numberTries = 20

// write writes a file on the node that only root can read. The file gets its name when it is
// complete.
func (p *proxmox) write(ctx context.Context, path string, content io.Reader, size int64) error {
	const script = `set -eu
umask 077
mkdir -p -- "$(dirname "$1")"
part=$(mktemp -- "$1.XXXXXX")
trap 'rm -f -- "$part"' EXIT
cat >"$part"
[ "$(stat -c %s -- "$part")" -eq "$2" ]
mv -fT -- "$part" "$1"
trap - EXIT`
	_, err := p.Feed(ctx, content, size, "sh", "-c", script, "strata", path,
		strconv.FormatInt(size, 10))
	return err
}

func (p *proxmox) Make(ctx context.Context, seed []byte) (*driver.Found, error) {
	settings := p.settings()
	if p.Spec.Proxmox.Template != 0 {
		template, err := p.templateConfig(ctx)
		if err != nil {
			return nil, err
		}
		if len(template.seeds) > 0 { // a clone would have them as well
			settings = append(settings, "--delete", strings.Join(template.seeds, ","))
		}
	}
	have, err := p.claim(ctx)
	if err != nil {
		return have, err
	}
	if err := p.putSeed(ctx, seed); err != nil {
		return have, err
	}
	if _, err := p.Command(ctx, append([]string{"qm", "set", have.ID},
		settings...)...); err != nil {
		return have, err
	}
	return have, p.Grow(ctx, have)
}

// claim creates the machine under the Spec's number. If the Spec has none, it requests the next
// free number, and tries again if another client has used that first.
func (p *proxmox) claim(ctx context.Context) (*driver.Found, error) {
	for try := 1; ; try++ {
		id := strconv.Itoa(p.Spec.ID)
		if p.Spec.ID == 0 {
			var next json.Number // a text in some releases
			if err := p.get(ctx, &next, "/cluster/nextid"); err != nil {
				return nil, err
			}
			id = next.String()
		}
		_, err := p.Command(ctx, p.createCommand(id)...)
		switch {
		case err == nil:
			return &driver.Found{ID: id, Mark: p.Spec.Mark(hypervisor.StateMaking)}, nil
		case isNumberTaken(err) && p.Spec.ID == 0 && try < numberTries:
			continue
		case isNumberTaken(err):
			return nil, fmt.Errorf("%w; set another strata:hosts.nodes[].vm.id, or none", err)
		}
		return p.halfMade(ctx, err)
	}
}

// halfMade returns the incomplete guest that a failed create command has left behind, so that the
// caller can remove it. Proxmox VE usually, but not always, removes a VM whose disk it could not
// make.
func (p *proxmox) halfMade(ctx context.Context, cause error) (*driver.Found, error) {
	have, err := p.Find(ctx)
	if err != nil {
		return nil, cause // the failed observation explains less than cause
	}
	return have, cause
}

// createCommand returns the command that creates the machine with its mark and its disk only.
func (p *proxmox) createCommand(id string) []string {
	mark := p.Spec.Mark(hypervisor.StateMaking).Line()
	if template := p.Spec.Proxmox.Template; template != 0 {
		return []string{"qm", "clone", strconv.Itoa(template), id, "--name", p.Spec.Name(),
			"--description", mark, "--full", "1", "--storage", p.Spec.Proxmox.Storage}
	}
	return []string{"qm", "create", id, "--name", p.Spec.Name(), "--description", mark,
		"--ostype", "l26", "--cpu", "host", "--scsihw", "virtio-scsi-single", "--serial0", "socket",
		"--boot", "order=scsi0",
		"--scsi0", p.Spec.Proxmox.Storage + ":0,import-from=" + p.imagePath() + ",discard=on"}
}

// settings returns the options that a clone and a machine with an image share.
func (p *proxmox) settings() []string {
	nic := "virtio=" + p.Spec.MAC() + ",bridge=" + p.Spec.Proxmox.Bridge
	if p.Spec.Proxmox.VLAN != 0 {
		nic += ",tag=" + strconv.Itoa(p.Spec.Proxmox.VLAN)
	}
	return []string{
		"--tags", tag, "--cores", strconv.Itoa(p.Spec.CPUs), "--memory",
		strconv.Itoa(p.Spec.MemoryMiB),
		"--net0", nic, "--agent", "enabled=1", "--onboot", "1", "--" + seedSlot,
		p.seedVolume() + ",media=cdrom",
	}
}

// templateConfig returns the template's configuration. It fails if machines cannot be cloned from
// it.
func (p *proxmox) templateConfig(ctx context.Context) (guestConfig, error) {
	all, err := p.guests(ctx)
	if err != nil {
		return guestConfig{}, err
	}
	id := p.Spec.Proxmox.Template
	for _, guest := range all {
		if guest.VMID != id {
			continue
		}
		config, err := p.config(ctx, guest)
		switch {
		case err != nil:
			return guestConfig{}, err
		case config.Template.String() != "1":
			return guestConfig{}, fmt.Errorf(
				"%s: VM %d (%s) is no template: qm template %d, or set another strata:hosts.proxmox.template",
				p.Host, id, guest.Name, id)
		case config.SCSI0 == "":
			return guestConfig{}, fmt.Errorf(
				"%s: template %d (%s) has no disk scsi0, which the machines boot from; set "+
					"another strata:hosts.proxmox.template", p.Host, id, guest.Name)
		}
		return config, nil
	}
	return guestConfig{}, fmt.Errorf(
		"%s: there is no template %d; see qm list, and set strata:hosts.proxmox.template to one with cloud-init",
		p.Host, id)
}

func (p *proxmox) Sign(ctx context.Context, have *driver.Found, mark hypervisor.Mark) error {
	_, err := p.Command(ctx, "qm", "set", have.ID, "--description", mark.Apply(have.Note))
	return err
}

func (p *proxmox) Finish(ctx context.Context, have *driver.Found) error {
	return p.Sign(ctx, have, p.Spec.Mark(hypervisor.StateMade))
}
