package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// printJSON prints a value for --output-format json, and refuses other formats.
func printJSON(c call, value any) error {
	if c.options["output-format"] != "json" {
		return errors.New("the stand-in only prints JSON")
	}
	return json.NewEncoder(os.Stdout).Encode(value)
}

var configPath = regexp.MustCompile(`^/nodes/pve/qemu/(\d+)/config$`)

func (n *node) get(c call) error {
	guests, err := n.all()
	if err != nil {
		return err
	}
	switch path := c.words[0]; {
	case path == "/cluster/resources":
		if c.options["type"] != "vm" {
			return errors.New("the stand-in only lists --type vm")
		}
		list := []map[string]any{}
		for _, g := range guests {
			list = append(list, g.resource())
		}
		return printJSON(c, list)
	case path == "/cluster/nextid":
		next := 100
		for _, g := range guests { // file names are sorted as texts, so all are read
			next = max(next, g.ID+1)
		}
		if stale := n.faults["nextid"]; stale != "" { // another client takes it
			next, _ = strconv.Atoi(stale)
			if err := os.Remove(filepath.Join(n.dir, "faults.json")); err != nil {
				return err
			}
		}
		return printJSON(c, strconv.Itoa(next))
	case path == "/cluster/status":
		return n.members(c)
	case path == "/nodes/pve/status":
		return n.nodeStatus(c)
	case path == "/nodes/pve/storage":
		return n.stores(c)
	case path == "/nodes/pve/network":
		return n.bridges(c)
	case configPath.MatchString(path):
		g, err := n.load(configPath.FindStringSubmatch(path)[1])
		if err != nil {
			return err
		}
		return printJSON(c, g.Config)
	default:
		return fmt.Errorf("No '%s' handler defined for '%s'", "get", path)
	}
}

// resource returns a guest as an entry of the cluster's resources.
func (g *guest) resource() map[string]any {
	template := 0
	if g.Config["template"] == "1" {
		template = 1
	}
	return map[string]any{
		"id": fmt.Sprintf("qemu/%d", g.ID), "vmid": g.ID, "name": g.Config["name"], "node": "pve",
		"status": g.power(), "type": "qemu",
		"tags": g.Config["tags"], "template": template,
	}
}

func (g *guest) power() string {
	if g.Running {
		return "running"
	}
	return "stopped"
}

func (n *node) status(c call) error {
	g, err := n.load(c.words[0])
	if err != nil {
		return err
	}
	fmt.Printf("status: %s\n", g.power())
	if c.options["verbose"] != "" {
		qmp := g.power()
		if output := n.faults["qmpstatus"]; output != "" {
			qmp = output
		}
		fmt.Printf("qmpstatus: %s\n", qmp)
	}
	return nil
}

// volume returns the file of an ISO volume on a storage of type dir.
func (n *node) volume(name string) (string, error) {
	storage, file, ok := strings.Cut(name, ":iso/")
	if _, there := n.storages[storage]; !there {
		return "", fmt.Errorf("storage '%s' does not exist", storage)
	}
	if !ok {
		return "", fmt.Errorf("unable to parse directory volume name '%s'", name)
	}
	return filepath.Join(n.dir, storage, "template", "iso", file), nil
}

func (n *node) path(c call) error {
	path, err := n.volume(c.words[0])
	if err == nil {
		fmt.Println(path)
	}
	return err
}

// agent answers like the QEMU agent of a guest.
func (n *node) agent(c call) error {
	g, err := n.load(c.words[0])
	switch {
	case err != nil:
		return err
	case c.words[1] != "network-get-interfaces":
		return errors.New("the stand-in's agent only knows network-get-interfaces")
	case !strings.Contains(g.Config["agent"], "1"):
		return errors.New("No QEMU guest agent configured")
	case !g.Running:
		return fmt.Errorf("VM %d is not running", g.ID)
	case n.faults["agent"] == "missing":
		return errors.New("QEMU guest agent is not running")
	}
	mac, _, _ := strings.Cut(strings.TrimPrefix(g.Config["net0"], "virtio="), ",")
	addresses := []map[string]string{}
	if address := n.faults["address"]; address != "" {
		addresses = append(addresses, map[string]string{"ip-address": address,
			"ip-address-type": "ipv4"})
	}
	return json.NewEncoder(os.Stdout).Encode(
		[]any{map[string]any{"name": "eth0", "hardware-address": mac, "ip-addresses": addresses}})
}
