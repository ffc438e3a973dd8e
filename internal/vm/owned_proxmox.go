package vm

import (
	"context"
	"slices"
	"strconv"
	"strings"
)

func (p *proxmox) owned(ctx context.Context) ([]Owned, error) {
	guests, err := p.guests(ctx)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(guests, func(a, b guestEntry) int { return strings.Compare(a.Name, b.Name) })
	var all []Owned
	for _, guest := range guests {
		if guest.Type != "qemu" || !strings.HasPrefix(guest.Name, p.spec.prefix()) {
			continue
		}
		config, err := p.config(ctx, guest)
		if err != nil {
			return nil, err
		}
		have := config.found(guest)
		if !p.spec.ofStack(have.Mark) {
			continue
		}
		one := &proxmox{runner{host: p.host, spec: p.spec.of(have.Mark.Node)}}
		path, err := one.command(ctx, "pvesm", "path", one.seedVolume())
		if err != nil {
			return nil, err
		}
		all = append(all, Owned{Mark: have.Mark, What: "VM " + strconv.Itoa(guest.VMID) + " (" + guest.Name + ") on node " + guest.Node, Remove: []string{
			shell([]string{"qm", "stop", have.ID}), shell([]string{"rm", "-f", "--", path}),
			shell([]string{"qm", "destroy", have.ID, "--purge", "1", "--destroy-unreferenced-disks", "0"}),
		}})
	}
	return all, nil
}
