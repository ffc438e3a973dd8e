package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/diskfs/go-diskfs"
	"sigs.k8s.io/yaml"
)

// start boots the guest without waiting for it, like `qm start`.
func (n *node) start(c call) error {
	g, err := n.load(c.words[0])
	if err != nil {
		return err
	}
	if g.Running {
		return fmt.Errorf("VM %d already running", g.ID)
	}
	if os.Getenv("PVE_LAB") != "" {
		if err := n.boot(g); err != nil {
			return err
		}
	}
	g.Running = true
	return n.save(g)
}

// errNoLease means that a guest uses DHCP, for which there is no server.
var errNoLease = errors.New("no DHCP server answers")

// boot creates or starts the lab machine in the background. Its log is in the folder of the state.
func (n *node) boot(g *guest) error {
	spec, err := n.machine(g)
	if errors.Is(err, errNoLease) {
		return nil // it runs, and its agent reports nothing
	}
	g.Booted = true
	if err != nil {
		return err
	}
	text, err := json.Marshal(spec)
	if err != nil {
		return err
	}
	log, err := os.OpenFile(filepath.Join(n.dir, g.Config["name"]+".log"),
		os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }()
	cmd := exec.Command(os.Getenv("PVE_LAB"), "machines", "create")
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	stdin, err := os.CreateTemp(n.dir, "spec")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(stdin.Name()) }() // the child keeps it open
	if _, err := stdin.Write(text); err != nil {
		return err
	}
	if _, err := stdin.Seek(0, 0); err != nil {
		return err
	}
	cmd.Stdin = stdin // a pipe would end with this process
	return cmd.Start()
}

// machine returns the lab machine that the seed of a guest describes.
func (n *node) machine(g *guest) (map[string]any, error) {
	if other := g.Config["ide2"]; other != "" {
		return nil, fmt.Errorf("cloud-init finds the seed on ide2 first: %s", other)
	}
	volume, _, _ := strings.Cut(g.Config["scsi30"], ",")
	path, err := n.volume(volume)
	if err != nil {
		return nil, err
	}
	seed, err := readSeed(path)
	if err != nil {
		return nil, fmt.Errorf("seed %s: %w", path, err)
	}
	var user struct {
		Hostname string `json:"hostname"`
		Keys     struct {
			Public string `json:"ed25519_public"`
		} `json:"ssh_keys"`
		Users []struct {
			Keys []string `json:"ssh_authorized_keys"`
		} `json:"users"`
	}
	if err := yaml.Unmarshal([]byte(seed["user-data"]), &user); err != nil {
		return nil, err
	}
	network, address, err := n.network(g, seed["network-config"])
	if err != nil {
		return nil, err
	}
	seed["network-config"] = network
	if len(user.Users) == 0 || len(user.Users[0].Keys) == 0 {
		return nil, errors.New("no user with a key")
	}
	spec := map[string]any{
		"name": g.Config["name"], "hostname": user.Hostname, "image": os.Getenv("PVE_IMAGE"),
		"imageSha256": os.Getenv("PVE_IMAGE_SHA256"),
		"bridge":      os.Getenv("PVE_BRIDGE"), "subnet": os.Getenv("PVE_SUBNET"),
		"address":       address,
		"authorizedKey": user.Users[0].Keys[0], "seed": seed, "hostKey": user.Keys.Public,
	}
	if delay := n.faults["bootDelay"]; delay != "" {
		spec["bootDelay"] = delay
	}
	return spec, nil
}

// network checks that the seed's network-config has the MAC address of the guest's card. It returns
// the network-config for interface host0 of a container, and the address.
func (n *node) network(g *guest, text string) (string, netip.Addr, error) {
	var config struct {
		Ethernets map[string]map[string]any `json:"ethernets"`
	}
	if err := yaml.Unmarshal([]byte(text), &config); err != nil {
		return "", netip.Addr{}, err
	}
	card := config.Ethernets["nic0"]
	match, _ := card["match"].(map[string]any)
	mac, _ := match["macaddress"].(string)
	if mac == "" || !strings.Contains(g.Config["net0"], mac) {
		return "", netip.Addr{}, fmt.Errorf("network-config is for %q, and the card is %s", mac,
			g.Config["net0"])
	}
	list, _ := card["addresses"].([]any)
	if len(list) == 0 {
		return "", netip.Addr{}, errNoLease
	}
	prefix, err := netip.ParsePrefix(fmt.Sprint(list[0]))
	if err != nil {
		return "", netip.Addr{}, err
	}
	delete(card, "match")
	out, err := yaml.Marshal(map[string]any{"version": 2,
		"ethernets": map[string]any{"host0": card}})
	return string(out), prefix.Addr(), err
}

// readSeed returns the NoCloud files of a disk with label cidata.
func readSeed(path string) (map[string]string, error) {
	disk, err := diskfs.Open(path, diskfs.WithOpenMode(diskfs.ReadOnly))
	if err != nil {
		return nil, err
	}
	defer func() { _ = disk.Close() }()
	image, err := disk.GetFilesystem(0)
	if err != nil {
		return nil, err
	}
	if label := strings.TrimSpace(strings.Trim(image.Label(), "\x00")); label != "cidata" {
		return nil, fmt.Errorf("its label is %q", label)
	}
	files := map[string]string{}
	for _, name := range []string{"meta-data", "user-data", "network-config"} {
		content, err := image.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		files[name] = string(content)
	}
	return files, nil
}

func (n *node) stop(c call) error     { return n.halt(c, "--hard") }
func (n *node) shutdown(c call) error { return n.halt(c) }

func (n *node) halt(c call, options ...string) error {
	g, err := n.load(c.words[0])
	if err != nil {
		return err
	}
	if g.Booted {
		if err := lab(append([]string{"machines", "stop", g.Config["name"]},
			options...)...); err != nil {
			return err
		}
	}
	g.Running, g.Booted = false, false
	return n.save(g)
}

// remove deletes the lab machine.
func (g *guest) remove() error { return lab("machines", "delete", g.Config["name"]) }

// lab runs the lab's program; without it, there are no lab machines.
func lab(args ...string) error {
	program := os.Getenv("PVE_LAB")
	if program == "" {
		return nil
	}
	if output, err := exec.Command(program, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", strings.Join(args, " "), err, output)
	}
	return nil
}
