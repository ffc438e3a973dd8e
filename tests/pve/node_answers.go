package main

import (
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// or returns the output in faults.json, or else that of a healthy node.
func (n *node) or(key, healthy string) string {
	if output, ok := n.faults[key]; ok {
		return output
	}
	return healthy
}

// members answers /cluster/status (pve-manager's src/PVE/API2/Cluster.pm). A node in a cluster also
// lists the cluster.
func (n *node) members(c call) error {
	members := []map[string]any{{"type": "node", "id": "node/pve", "name": "pve", "online": 1,
		"local": 1, "nodeid": 1, "level": ""}}
	if quorate, clustered := n.faults["quorate"]; clustered {
		members = append(members, map[string]any{"type": "cluster", "id": "cluster", "name": "lab",
			"nodes": 3, "quorate": quorate})
	}
	return printJSON(c, members)
}

// nodeStatus answers /nodes/{node}/status (src/PVE/API2/Nodes.pm). Running machines use their
// memory.
func (n *node) nodeStatus(c call) error {
	guests, err := n.all()
	if err != nil {
		return err
	}
	total, err := strconv.Atoi(n.or("memoryMiB", "65536"))
	used := 0
	for _, g := range guests {
		if memory, configured := g.Config["memory"]; configured && g.Running {
			held, wrong := strconv.Atoi(memory)
			used, err = used+held, errors.Join(err, wrong)
		}
	}
	cpus, wrong := strconv.Atoi(n.or("cpus", "8"))
	if err := errors.Join(err, wrong); err != nil {
		return err
	}
	return printJSON(c, map[string]any{
		"pveversion": "pve-manager/" + n.or("release", "9.0.3") + "/0123456789abcdef",
		"cpuinfo":    map[string]any{"cpus": cpus, "cores": cpus, "sockets": 1},
		"memory": map[string]any{"total": total << 20, "used": used << 20,
			"free": (total - used) << 20},
	})
}

// stores answers /nodes/{node}/storage (pve-storage's src/PVE/API2/Storage/Status.pm).
func (n *node) stores(c call) error {
	guests, err := n.all()
	if err != nil {
		return err
	}
	list := []map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(n.storages)) {
		content, free := "iso,vztmpl,backup", n.storages[name]
		if strings.Contains(name, "lvm") {
			content = "images,rootdir"
		}
		for _, g := range guests {
			if strings.HasPrefix(g.Config["scsi0"], name+":") {
				free -= g.DiskGiB
			}
		}
		active := 1
		if n.faults["inactive"] == name {
			active = 0
		}
		list = append(list, map[string]any{
			"storage": name, "content": n.or("content of "+name, content), "enabled": 1,
			"active": active, "avail": free << 30, "total": n.storages[name] << 30,
		})
	}
	return printJSON(c, list)
}

// bridges answers /nodes/{node}/network (src/PVE/API2/Network.pm). A bridge that is down lacks the
// key active.
func (n *node) bridges(c call) error {
	if c.options["type"] != "any_bridge" {
		return errors.New("the stand-in only lists --type any_bridge")
	}
	list := []map[string]any{}
	for _, name := range strings.Fields(n.or("bridges", "vmbr0")) {
		up, isDown := strings.CutSuffix(name, "-down")
		entry := map[string]any{"iface": up, "type": "bridge", "autostart": 1}
		if !isDown {
			entry["active"] = 1
		}
		list = append(list, entry)
	}
	return printJSON(c, list)
}
