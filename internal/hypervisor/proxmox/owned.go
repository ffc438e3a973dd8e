package proxmox

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"strata/internal/hypervisor"
	"strata/internal/hypervisor/driver"
)

func (p *proxmox) ListOwned(ctx context.Context) ([]hypervisor.Owned, error) {
	guests, err := p.guests(ctx)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(guests, func(a, b guestEntry) int { return strings.Compare(a.Name, b.Name) })
	var all []hypervisor.Owned
	for _, guest := range guests {
		if guest.Type != "qemu" || !strings.HasPrefix(guest.Name, p.Spec.Prefix()) {
			continue
		}
		config, err := p.config(ctx, guest)
		if err != nil {
			return nil, err
		}
		have := config.describeGuest(guest)
		if !p.Spec.OfStack(have.Mark) {
			continue
		}
		one := &proxmox{driver.Runner{Host: p.Host, Spec: p.Spec.WithNode(have.Mark.Node)}}
		path, err := one.Command(ctx, "pvesm", "path", one.seedVolume())
		if err != nil {
			return nil, err
		}
		all = append(all,
			hypervisor.Owned{Mark: have.Mark,
				What: "VM " + strconv.Itoa(guest.VMID) + " (" + guest.Name + ") on node " +
					guest.Node,
				Remove: []string{
					driver.Shell([]string{"qm", "stop", have.ID}),
					driver.Shell([]string{"rm", "-f", "--", path}),
					driver.Shell([]string{"qm", "destroy", have.ID, "--purge", "1",
						"--destroy-unreferenced-disks", "0"}),
				}})
	}
	return all, nil
}
