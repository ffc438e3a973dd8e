package proxmox

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"strata/internal/hypervisor"
	"strata/internal/hypervisor/driver"
)

// The paths and answers below are those of the API of Proxmox VE 8 and 9,
// https://pve.proxmox.com/pve-docs/api-viewer/. A boolean is 0 or 1, and some releases write a
// number as a text.

// yes converts a boolean of Proxmox VE.
func yes(n json.Number) bool { return n.String() == "1" }

// whole returns a number without its fraction; 0 if n is no number.
func whole(n json.Number) int64 {
	value, _ := n.Float64()
	return int64(value)
}

// local returns the name of the node that runs the commands, and whether it accepts changes.
func (p *proxmox) local(ctx context.Context) (name string, quorate bool, err error) {
	var members []struct {
		Type    string      `json:"type"`
		Name    string      `json:"name"`
		Local   json.Number `json:"local"`
		Quorate json.Number `json:"quorate"`
	}
	if err := p.get(ctx, &members, "/cluster/status"); err != nil {
		return "", false, err
	}
	quorate = true // a node without a cluster has no entry of type cluster
	for _, one := range members {
		switch {
		case one.Type == "cluster":
			quorate = yes(one.Quorate)
		case one.Type == "node" && yes(one.Local):
			name = one.Name
		}
	}
	if name == "" {
		return "", false, fmt.Errorf("%s: pvesh get /cluster/status names no node as the local one", p.Host)
	}
	return name, quorate, nil
}

func (p *proxmox) Node(ctx context.Context) hypervisor.NodeFacts {
	name, quorate, err := p.local(ctx)
	if err != nil {
		return hypervisor.NodeFacts{Fault: err}
	}
	var status struct {
		Version string `json:"pveversion"`
		CPU     struct {
			CPUs json.Number `json:"cpus"`
		} `json:"cpuinfo"`
		Memory struct {
			Total json.Number `json:"total"`
			Used  json.Number `json:"used"`
		} `json:"memory"`
	}
	if err := p.get(ctx, &status, "/nodes/"+name+"/status"); err != nil {
		return hypervisor.NodeFacts{Fault: err}
	}
	release := status.Version // pve-manager/8.2.4/faa83925c9641325
	if parts := strings.Split(status.Version, "/"); len(parts) > 1 {
		release = parts[1]
	}
	return hypervisor.NodeFacts{
		Name: name, Quorate: quorate, Release: release, CPUs: int(whole(status.CPU.CPUs)),
		FreeMiB: int((whole(status.Memory.Total) - whole(status.Memory.Used)) >> 20),
	}
}

func (p *proxmox) Storages(ctx context.Context) []hypervisor.StorageFacts {
	disks := hypervisor.StorageFacts{Key: "strata:hosts.proxmox.storage",
		Name: p.Spec.Proxmox.Storage, Disks: true}
	seeds := hypervisor.StorageFacts{Key: "strata:hosts.proxmox.seedStorage",
		Name: p.Spec.Proxmox.SeedStorage}
	var all []storageEntry
	name, _, err := p.local(ctx)
	if err == nil {
		err = p.get(ctx, &all, "/nodes/"+name+"/storage")
	}
	disks.Fault, seeds.Fault = err, err
	observeStorage(&disks, all, "images")
	observeStorage(&seeds, all, "iso")
	return []hypervisor.StorageFacts{disks, seeds}
}

// storageEntry is one storage in the node's list.
type storageEntry struct {
	Storage string      `json:"storage"`
	Content string      `json:"content"`
	Enabled json.Number `json:"enabled"`
	Active  json.Number `json:"active"`
	Avail   json.Number `json:"avail"`
}

// observeStorage looks for a storage in the node's list.
func observeStorage(s *hypervisor.StorageFacts, all []storageEntry, content string) {
	for _, one := range all {
		holds := slices.Contains(strings.Split(one.Content, ","), content)
		if holds {
			s.Others = append(s.Others, one.Storage)
		}
		if one.Storage != s.Name {
			continue
		}
		s.There, s.Active = true, yes(one.Enabled) && yes(one.Active)
		s.FreeGiB = float64(whole(one.Avail)) / math.Exp2(30)
		if !holds {
			s.Lacks = "content type " + content + ", found " + one.Content
		}
	}
}

func (p *proxmox) Network(ctx context.Context) hypervisor.NetworkFacts {
	facts := hypervisor.NetworkFacts{Key: "strata:hosts.proxmox.bridge",
		Name: p.Spec.Proxmox.Bridge}
	var all []struct {
		Name   string      `json:"iface"`
		Active json.Number `json:"active"`
	}
	name, _, err := p.local(ctx)
	if err == nil {
		err = p.get(ctx, &all, "/nodes/"+name+"/network", "--type", "any_bridge")
	}
	facts.Fault = err
	for _, one := range all {
		facts.Others = append(facts.Others, one.Name)
		if one.Name == facts.Name {
			facts.There, facts.Active = true, yes(one.Active)
		}
	}
	return facts
}

func (p *proxmox) Template(ctx context.Context) (int, error) {
	if p.Spec.Proxmox.Template == 0 {
		return 0, nil
	}
	config, err := p.templateConfig(ctx)
	return diskSize(config.SCSI0), err
}

func (p *proxmox) Machines(ctx context.Context, specs []hypervisor.Spec) []hypervisor.MachineFacts {
	facts := make([]hypervisor.MachineFacts, len(specs))
	all, err := p.guests(ctx)
	var machines sync.WaitGroup // pvesh takes a second for each answer
	for i, spec := range specs {
		if err != nil {
			facts[i].Fault = err
			continue
		}
		machines.Go(func() {
			one := &proxmox{driver.Runner{Host: p.Host, Spec: spec}}
			facts[i] = driver.MachineFacts(one.findGuest(ctx, all))
		})
	}
	machines.Wait()
	return facts
}
