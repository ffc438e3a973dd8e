package fleet

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"

	"sigs.k8s.io/yaml"

	"strata/tests/lab/internal/bundle"
	"strata/tests/lab/internal/layout"
	"strata/tests/lab/machines"
)

// imageName is the name of the machine image in the bundle's manifest.
const imageName = "machine-image"

// Fleet is the set of machines for a stack's nodes.
type Fleet struct {
	// Log receives a line for each change on this host. Optional.
	Log *machines.Log

	stack string
	// folder is .strata/lab/STACK. bundle is the folder of the bundle that has the machine image.
	folder, bundle string
	hosts          hosts
}

// hosts is the part of a stack's configuration that describes its machines.
type hosts struct {
	Subnet netip.Prefix `json:"subnet"`
	Nodes  []node       `json:"nodes"`
	SSH    struct {
		KeyFile string `json:"keyFile"`
	} `json:"ssh"`
}

type node struct {
	Name    string     `json:"name"`
	Address netip.Addr `json:"address"`
}

// Read returns the fleet for a stack with a configuration file. isOurs reports whether the stack's
// hosts are lab machines.
func Read(at layout.Layout, stack, file string) (fleet *Fleet, isOurs bool, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, false, fmt.Errorf("stack file of %s: %w", stack, err)
	}
	var content struct {
		Config struct {
			Hosts hosts `json:"strata:hosts"`
		} `json:"config"`
	}
	if err := yaml.Unmarshal(text, &content); err != nil {
		return nil, false, fmt.Errorf("stack file %s: %w", file, err)
	}
	folder := filepath.Join(at.Local(), "lab", stack)
	key := content.Config.Hosts.SSH.KeyFile
	if !filepath.IsAbs(key) {
		key = filepath.Join(at.Checkout, key)
	}
	fleet = &Fleet{stack: stack, folder: folder, bundle: at.Bundle(), hosts: content.Config.Hosts}
	return fleet, key == fleet.key(), nil
}

// bridge returns the name of the stack's bridge, of at most 15 characters, the limit of Linux for
// interface names. A hash replaces a stack name that is too long.
func (f *Fleet) bridge() string {
	const longest = 15
	name := "lab-" + f.stack
	if len(name) > longest {
		sum := sha256.Sum256([]byte(f.stack))
		name = "lab-" + hex.EncodeToString(sum[:4])
	}
	return name
}

// machine returns the name of a node's machine on this host.
func (f *Fleet) machine(node string) string { return f.stack + "-" + node }

// network returns a spec that describes only the stack's bridge.
func (f *Fleet) network() machines.Spec {
	return machines.Spec{Bridge: f.bridge(), Subnet: f.hosts.Subnet, Gateway: f.hosts.Subnet.Masked().Addr().Next()}
}

// spec returns the spec of a node's machine.
func (f *Fleet) spec(node node, image bundle.Artifact, authorizedKey string) machines.Spec {
	spec := f.network()
	spec.Name, spec.Hostname, spec.Address = f.machine(node.Name), node.Name, node.Address
	spec.Image, spec.ImageSHA256 = filepath.Join(f.bundle, image.Path), image.SHA256
	spec.AuthorizedKey, spec.HostKeyFile = authorizedKey, filepath.Join(f.folder, "hosts", node.Name)
	return spec
}

// image returns the manifest entry of the machine image in the bundle.
func (f *Fleet) image() (bundle.Artifact, error) {
	manifest, err := bundle.Read(f.bundle)
	if err != nil {
		return bundle.Artifact{}, fmt.Errorf("the machine image: %w; run: make lab", err)
	}
	for _, artifact := range manifest.Artifacts {
		if artifact.Name == imageName {
			return artifact, nil
		}
	}
	return bundle.Artifact{}, fmt.Errorf("bundle %s has no %s; run: make lab", f.bundle, imageName)
}
