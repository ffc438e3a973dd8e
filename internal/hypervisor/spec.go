package hypervisor

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"regexp"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/internal/ssh/remote"
)

// Spec describes one virtual machine. It is passed as JSON on stdin, and the state stores it
// unencrypted: secrets are in Secrets.
type Spec struct {
	// Driver is libvirt or proxmox.
	Driver string `json:"driver"`
	// Stack and Node name the owner; together they name the machine.
	Stack string `json:"stack"`
	Node  string `json:"node"`
	// Cluster is the identity of the cluster that owns the machine, and Project the stack's
	// project. Both are empty if the identity is not known yet.
	Cluster string `json:"cluster,omitempty"`
	Project string `json:"project,omitempty"`
	// Timeout bounds each action.
	Timeout metav1.Duration `json:"timeout"`
	// TurnTimeout bounds the wait until no other machine of the stack restarts.
	TurnTimeout metav1.Duration `json:"turnTimeout,omitzero"`
	// Hypervisor runs the machine; without an address it is this machine.
	Hypervisor remote.Target `json:"hypervisor"`
	// CPUs, MemoryMiB and DiskGiB are the machine's size.
	CPUs      int `json:"cpus"`
	MemoryMiB int `json:"memoryMiB"`
	DiskGiB   int `json:"diskGiB"`
	// ID is the number on Proxmox VE; 0 selects the next free one.
	ID int `json:"id,omitempty"`
	// Image is copied to the disk; empty with a template.
	Image Image `json:"image,omitzero"`
	// Guest configures cloud-init at the machine's first boot.
	Guest Guest `json:"guest"`

	Libvirt *Libvirt `json:"libvirt,omitempty"`
	Proxmox *Proxmox `json:"proxmox,omitempty"`

	// anyOwner is true if the caller accepts a mark of any cluster.
	anyOwner bool
}

// Specs are the machines of a stack; at least one.
type Specs []Spec

// Image is a disk image that PutImage puts on the hypervisor.
type Image struct {
	// Path is the path of the image file on this machine.
	Path string `json:"path"`
	// SHA256 is the sum of the image file, by which the hypervisor identifies the image.
	SHA256 string `json:"sha256"`
}

// Libvirt names the pool and the network of a machine on libvirt.
type Libvirt struct {
	URI     string `json:"uri"`
	Pool    string `json:"pool"`
	Bridge  string `json:"bridge,omitempty"`
	Network string `json:"network,omitempty"`
	// Type is kvm or qemu.
	Type string `json:"type"`
	// Arch is Go's name of the processor architecture.
	Arch string `json:"arch"`
}

// Proxmox names the storage and the network of a machine on Proxmox VE.
type Proxmox struct {
	Storage     string `json:"storage"`
	SeedStorage string `json:"seedStorage"`
	Bridge      string `json:"bridge"`
	VLAN        int    `json:"vlan,omitempty"`
	// Template is the number of the template to clone; 0 without a template.
	Template int `json:"template,omitempty"`
}

// Guest configures the machine's operating system.
type Guest struct {
	// Address is the machine's address. With DHCP, it is the address that the machine must get.
	Address netip.Prefix `json:"address"`
	DHCP    bool         `json:"dhcp,omitempty"`
	Gateway netip.Addr   `json:"gateway"`
	DNS     []netip.Addr `json:"dns,omitempty"`
	// User logs in with AuthorizedKeys over Port, and may become root.
	User           string            `json:"user"`
	Port           int               `json:"port"`
	AuthorizedKeys []string          `json:"authorizedKeys"`
	Packages       []string          `json:"packages,omitempty"`
	Modules        []string          `json:"modules,omitempty"`
	Sysctls        map[string]string `json:"sysctls,omitempty"`
}

// Result holds a machine's outputs in its resource.
type Result struct {
	// Name and ID identify the machine on the hypervisor.
	Name string `json:"name"`
	ID   string `json:"id"`
	MAC  string `json:"mac"`
	// Made holds the properties that are fixed when the machine is made: configuration keys below
	// strata:, and their values.
	Made map[string]string `json:"made,omitempty"`
}

// Deletion is the deletion of all machines of a stack. It is passed as JSON on stdin.
type Deletion struct {
	// Machines are all machines of the stack, on one hypervisor.
	Machines []Spec `json:"machines"`
	// Timeout bounds the operation.
	Timeout metav1.Duration `json:"timeout"`
}

// Secrets must not be stored or shown. They are passed in the environment.
type Secrets struct {
	// HypervisorKey logs in to the hypervisor, HostKey is the machine's own host key, and SSHKey
	// logs in to the machine; all are PEM.
	HypervisorKey, HostKey, SSHKey []byte
}

// Name returns the machine's name on the hypervisor.
func (s Spec) Name() string { return "strata-" + s.Stack + "-" + s.Node }

// AnyOwner returns a Spec that owns its machine even if the mark names another cluster.
func (s Spec) AnyOwner() Spec {
	s.anyOwner = true
	return s
}

// OnHypervisor returns one of two commands: that for the machine's kind of hypervisor.
func (s Spec) OnHypervisor(libvirt, proxmox string) string {
	if s.Driver == "proxmox" {
		return proxmox
	}
	return libvirt
}

// word matches texts that are valid in a name on the hypervisor.
var word = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

// ReadSpec reads and checks a Spec from JSON. The configuration has been validated before; this
// check refuses Specs that would reach other machines.
func ReadSpec(text []byte) (Spec, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	var spec Spec
	if err := decoder.Decode(&spec); err != nil {
		return Spec{}, fmt.Errorf("vm: stdin: %w", err)
	}
	return spec, spec.check()
}

func (s Spec) check() error {
	var wrong []error
	need := func(ok bool, what string) {
		if !ok {
			wrong = append(wrong, errors.New("vm: "+what))
		}
	}
	need(word.MatchString(s.Stack), "stack: expected a name, found "+fmt.Sprintf("%q", s.Stack))
	need(word.MatchString(s.Node), "node: expected a name, found "+fmt.Sprintf("%q", s.Node))
	need(s.Cluster == "" || word.MatchString(s.Cluster) &&
		word.MatchString(s.Project),
		"cluster and project: expected names, found "+
			fmt.Sprintf("%q and %q", s.Cluster, s.Project))
	need(s.Timeout.Duration > 0, "a positive timeout is required")
	need(s.Driver == "libvirt" && s.Libvirt != nil || s.Driver == "proxmox" &&
		s.Proxmox != nil, "driver: expected libvirt or proxmox with its section, found "+s.Driver)
	return errors.Join(wrong...)
}
