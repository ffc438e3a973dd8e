package libvirt

import (
	"context"
	"encoding/xml"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"strata/internal/hypervisor"
	"strata/internal/hypervisor/driver"
)

// fields parses virsh's tables with one "Name: value" per line.
func fields(table string) map[string]string {
	values := map[string]string{}
	for line := range strings.Lines(table) {
		if name, value, ok := strings.Cut(line, ":"); ok {
			values[strings.TrimSpace(name)] = strings.TrimSpace(value)
		}
	}
	return values
}

// number returns the number at the beginning of a text; 0 if there is none.
func number(text string) int {
	first, _, _ := strings.Cut(text, " ")
	value, _ := strconv.Atoi(first)
	return value
}

func (l *libvirt) Node(ctx context.Context) hypervisor.NodeFacts {
	info, err := l.virsh(ctx, "nodeinfo")
	if err != nil {
		return hypervisor.NodeFacts{Fault: err}
	}
	stats, err := l.virsh(ctx, "nodememstats")
	if err != nil {
		return hypervisor.NodeFacts{Fault: err}
	}
	memory := fields(stats) // in KiB
	free := number(memory["free"]) + number(memory["buffers"]) + number(memory["cached"])
	facts := hypervisor.NodeFacts{CPUs: number(fields(info)["CPU(s)"]), FreeMiB: free >> 10,
		Quorate: true}
	arch, machine := architecture(l.Spec.Libvirt.Arch)
	_, facts.Virtual = l.virsh(ctx, "domcapabilities", "--virttype", l.Spec.Libvirt.Type, "--arch",
		arch, "--machine", machine)
	return facts
}

// folderPools are the types of pools that store volumes as files, as disks (qcow2) and seeds need.
var folderPools = []string{"dir", "fs", "netfs"}

func (l *libvirt) Storages(ctx context.Context) []hypervisor.StorageFacts {
	facts := hypervisor.StorageFacts{Key: "strata:hosts.libvirt.pool", Name: l.Spec.Libvirt.Pool,
		Disks: true}
	facts.Fault = l.pool(ctx, &facts)
	return []hypervisor.StorageFacts{facts}
}

func (l *libvirt) pool(ctx context.Context, facts *hypervisor.StorageFacts) error {
	names, err := l.virsh(ctx, "pool-list", "--all", "--name")
	if err != nil {
		return err
	}
	facts.Others = strings.Fields(names)
	if facts.There = slices.Contains(facts.Others, facts.Name); !facts.There {
		return nil
	}
	info, err := l.virsh(ctx, "pool-info", "--bytes", facts.Name)
	if err != nil {
		return err
	}
	values := fields(info)
	facts.Active = values["State"] == "running"
	free, err := strconv.ParseFloat(values["Available"], 64)
	if facts.Active && err != nil {
		return fmt.Errorf("%s: virsh pool-info %s: Available: %w", l.Host, facts.Name, err)
	}
	facts.FreeGiB = free / math.Exp2(30)
	text, err := l.virsh(ctx, "pool-dumpxml", facts.Name)
	if err != nil {
		return err
	}
	var pool struct {
		Type string `xml:"type,attr"`
	}
	if err := xml.Unmarshal([]byte(text), &pool); err != nil {
		return fmt.Errorf("%s: pool %s: %w", l.Host, facts.Name, err)
	}
	if !slices.Contains(folderPools, pool.Type) {
		facts.Lacks = "a pool of type " + strings.Join(folderPools, ", ") + ", found " + pool.Type
	}
	return nil
}

// Template returns 0: with libvirt, machines start from an image.
func (l *libvirt) Template(context.Context) (int, error) { return 0, nil }

func (l *libvirt) Machines(ctx context.Context, specs []hypervisor.Spec) []hypervisor.MachineFacts {
	all := make([]hypervisor.MachineFacts, len(specs))
	for i, spec := range specs {
		one := &libvirt{driver.Runner{Host: l.Host, Spec: spec}}
		have, err := one.Find(ctx)
		if err == nil && have == nil {
			err = one.refuseVolumes(ctx)
		}
		all[i] = driver.MachineFacts(have, err)
	}
	return all
}
