package machines

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"regexp"

	"golang.org/x/crypto/ssh"

	"strata/tests/lab/machines/cgroup"
	"strata/tests/lab/machines/rootfs"
)

// Spec describes a machine. `lab machines create` reads it as JSON. Unknown fields are errors.
type Spec struct {
	// Name identifies the machine on this host. It is a DNS label of at most 63 characters.
	Name string `json:"name"`
	// Image is the path of the tar file with the root file system. A relative path is relative to
	// the working directory.
	Image string `json:"image"`
	// ImageSHA256 is the hexadecimal SHA-256 of the tar file. Machines with the same checksum share
	// one extracted image.
	ImageSHA256 string `json:"imageSha256"`
	// Bridge is the name of the bridge that connects the machines, at most 15 characters. It is
	// created if it is missing, and removed with its last machine.
	Bridge string `json:"bridge"`
	// Subnet is the bridge's network, such as 10.10.0.0/24.
	Subnet netip.Prefix `json:"subnet"`
	// Gateway is this host's address on the bridge. Default: the first address of Subnet.
	Gateway netip.Addr `json:"gateway,omitzero"`
	// Address is the machine's address in Subnet.
	Address netip.Addr `json:"address"`
	// Hostname is the machine's host name. Default: Name.
	Hostname string `json:"hostname,omitempty"`
	// AuthorizedKey is the public key, in authorized_keys form, that may log in as root and as
	// strata. The key identifies the machine's owner.
	AuthorizedKey string `json:"authorizedKey"`
	// DNS are the name servers. Default: this host's, without loopback addresses.
	DNS []netip.Addr `json:"dns,omitempty"`
	// MemoryMiB limits the machine's memory. Default: 0, no limit.
	MemoryMiB int `json:"memoryMiB,omitempty"`
	// CPUs limits the machine's processor time, in processors. Default: 0, no limit.
	CPUs float64 `json:"cpus,omitempty"`
	// BootDelay delays each boot, for example by "30s", to simulate a slow host. Default: no delay.
	BootDelay Duration `json:"bootDelay,omitempty"`
	// Seed has cloud-init's NoCloud files by name, which replace the machine's own. The machine
	// then boots like a virtual machine with this seed.
	Seed map[string]string `json:"seed,omitempty"`
	// HostKey is the public half of the host key that Seed installs, in authorized_keys form.
	// Required with Seed.
	HostKey string `json:"hostKey,omitempty"`
	// HostKeyFile is a file for the private half of the host key, which is kept when the machine is
	// deleted. A recreated machine then has the same host key. Default: none. It is ignored with
	// Seed.
	HostKeyFile string `json:"hostKeyFile,omitempty"`
}

// Result describes a created machine. `lab machines create` prints it as JSON.
type Result struct {
	Name    string     `json:"name"`
	Address netip.Addr `json:"address"`
	// HostKey is the public host key in authorized_keys form. Clients verify it in every
	// connection.
	HostKey string `json:"hostKey"`
}

// limits returns the limits of the machine's use of this host.
func (s Spec) limits() cgroup.Limits { return cgroup.Limits{MemoryMiB: s.MemoryMiB, CPUs: s.CPUs} }

// identity returns the values that make the machine unique.
func (s Spec) identity() rootfs.Identity {
	return rootfs.Identity{
		Name: s.Name, Hostname: s.Hostname, Address: netip.PrefixFrom(s.Address, s.Subnet.Bits()),
		Gateway: s.Gateway, DNS: s.DNS,
		AuthorizedKey: s.AuthorizedKey, Seed: s.Seed,
	}
}

var (
	// nspawn uses the machine's name as a host name, so it must be a DNS label.
	labelPattern  = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$`)
	bridgePattern = regexp.MustCompile(`^[a-zA-Z0-9][a-zA-Z0-9_.-]{0,14}$`)
	sha256Pattern = regexp.MustCompile(`^[0-9a-f]{64}$`)
)

// ReadSpec reads a Spec as JSON, sets the defaults and validates it.
func ReadSpec(r io.Reader) (Spec, error) {
	raw, err := io.ReadAll(r)
	if err != nil {
		return Spec{}, fmt.Errorf("reading the machine's spec: %w", err)
	}
	var spec Spec
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&spec); err != nil {
		return Spec{}, fmt.Errorf("decoding the machine's spec (expected one JSON object on stdin): %w", err)
	}
	spec.setDefaults()
	return spec, spec.Validate()
}

func (s *Spec) setDefaults() {
	if s.Hostname == "" {
		s.Hostname = s.Name
	}
	if s.Subnet.IsValid() && !s.Gateway.IsValid() {
		s.Gateway = s.Subnet.Masked().Addr().Next()
	}
}

// Validate returns an error for every mistake, each with the field, the value and the rule.
func (s *Spec) Validate() error {
	var errs []error
	bad := func(field string, value any, rule string) {
		errs = append(errs, fmt.Errorf("machine spec: %s: %q: %s", field, fmt.Sprint(value), rule))
	}
	for field, value := range map[string]string{"name": s.Name, "hostname": s.Hostname} {
		if !labelPattern.MatchString(value) {
			bad(field, value, "must be lower case letters, digits and '-', at most 63")
		}
	}
	if s.Image == "" {
		bad("image", s.Image, "must be the path of the image's tar file")
	}
	if !sha256Pattern.MatchString(s.ImageSHA256) {
		bad("imageSha256", s.ImageSHA256, "must be 64 hex digits (sha256sum FILE)")
	}
	if !bridgePattern.MatchString(s.Bridge) {
		bad("bridge", s.Bridge, "must be an interface name of at most 15 characters")
	}
	if _, _, _, _, err := ssh.ParseAuthorizedKey([]byte(s.AuthorizedKey)); err != nil {
		bad("authorizedKey", s.AuthorizedKey,
			"must be one public key in authorized_keys form, such as ssh-ed25519 AAAA…")
	}
	if _, _, _, _, err := ssh.ParseAuthorizedKey([]byte(s.HostKey)); err != nil && len(s.Seed) > 0 {
		bad("hostKey", s.HostKey, "must be the public half of the host key in the seed")
	}
	if s.MemoryMiB < 0 || s.MemoryMiB > 0 && s.MemoryMiB < 256 {
		bad("memoryMiB", s.MemoryMiB, "must be 0 (no limit) or at least 256")
	}
	if s.CPUs < 0 || s.CPUs > 0 && s.CPUs < 0.1 {
		bad("cpus", s.CPUs, "must be 0 (no limit) or at least 0.1")
	}
	s.validateAddresses(bad)
	sortErrors(errs)
	return errors.Join(errs...)
}

func (s *Spec) validateAddresses(bad func(field string, value any, rule string)) {
	if !s.Subnet.IsValid() || !s.Subnet.Addr().Is4() || s.Subnet.Bits() > 30 || s.Subnet != s.Subnet.Masked() {
		bad("subnet", s.Subnet, "must be an IPv4 network of at least 4 addresses, such as 10.10.0.0/24")
		return
	}
	for field, addr := range map[string]netip.Addr{"gateway": s.Gateway, "address": s.Address} {
		if !s.Subnet.Contains(addr) || addr == s.Subnet.Addr() || addr == lastAddr(s.Subnet) {
			bad(field, addr, "must be a host address in subnet "+s.Subnet.String())
		}
	}
	if s.Address == s.Gateway {
		bad("address", s.Address, "is the gateway's address; choose another one")
	}
}
