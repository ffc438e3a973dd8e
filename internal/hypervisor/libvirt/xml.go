package libvirt

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"text/template"

	"strata/internal/hypervisor"
	"strata/internal/hypervisor/driver"
)

// markSpace is the XML namespace of the mark in a domain's metadata.
const markSpace = "urn:strata:vm:1"

type markXML struct {
	XMLName xml.Name
	Stack   string `xml:"stack,attr"`
	Node    string `xml:"node,attr"`
	State   string `xml:"state,attr"`
	Cluster string `xml:"cluster,attr,omitempty"`
	Project string `xml:"project,attr,omitempty"`
}

func newMarkXML(m hypervisor.Mark) markXML {
	return markXML{XMLName: xml.Name{Local: "vm"}, Stack: m.Stack, Node: m.Node, State: m.State,
		Cluster: m.Cluster, Project: m.Project}
}

// mark returns the mark in the element.
func (x markXML) mark() hypervisor.Mark {
	return hypervisor.Mark{Stack: x.Stack, Node: x.Node, State: x.State, Cluster: x.Cluster,
		Project: x.Project}
}

// domainTemplate defines a machine: virtio devices, a console whose output libvirt keeps, and the
// channel of the guest's agent. The seed is on the disk's own bus, virtio, where cloud-init finds
// it by its label. The kernels of cloud images have no driver for SATA (Debian's linux-image-cloud:
// CONFIG_SATA_AHCI is not set), so they would not see a SATA CD-ROM.
var domainTemplate = template.Must(
	template.New("domain").Funcs(template.FuncMap{"text": escape}).Parse(`<domain type="{{text .Libvirt.Type}}">
  <name>{{text .Name}}</name>
  <title>Strata: node {{text .Node}} of stack {{text .Stack}}</title>
  <metadata><strata:vm xmlns:strata="` + markSpace + `" stack="{{text .Stack}}" node="{{text .Node}}" state="making"{{with .Mark}}{{if .Cluster}} cluster="{{text .Cluster}}"{{end}}{{if .Project}} project="{{text .Project}}"{{end}}{{end}}/></metadata>
  <memory unit="MiB">{{.MemoryMiB}}</memory>
  <vcpu>{{.CPUs}}</vcpu>
  <os><type arch="{{.Arch}}" machine="{{.Machine}}">hvm</type><boot dev="hd"/></os>
  <features><acpi/></features>
  <cpu mode="{{.CPU}}"/>
  <on_crash>restart</on_crash>
  <devices>
    <disk type="volume" device="disk">
      <driver name="qemu" type="qcow2" discard="unmap"/>
      <source pool="{{text .Libvirt.Pool}}" volume="{{text .Disk}}"/>
      <target dev="vda" bus="virtio"/>
    </disk>
    <disk type="volume" device="disk">
      <driver name="qemu" type="raw"/>
      <source pool="{{text .Libvirt.Pool}}" volume="{{text .Seed}}"/>
      <target dev="vdb" bus="virtio"/>
      <readonly/>
    </disk>
    {{- if .Libvirt.Bridge}}
    <interface type="bridge"><mac address="{{.MAC}}"/><source bridge="{{text .Libvirt.Bridge}}"/><model type="virtio"/></interface>
    {{- else}}
    <interface type="network"><mac address="{{.MAC}}"/><source network="{{text .Libvirt.Network}}"/><model type="virtio"/></interface>
    {{- end}}
    <serial type="pty"><log file="{{text .Console}}" append="on"/></serial>
    <console type="pty"/>
    <channel type="unix"><target type="virtio" name="org.qemu.guest_agent.0"/></channel>
    <rng model="virtio"><backend model="random">/dev/urandom</backend></rng>
  </devices>
</domain>
`))

func domainXML(spec hypervisor.Spec) ([]byte, error) {
	l := libvirt{driver.Runner{Spec: spec}}
	disk, seed := l.volumes()
	values := struct {
		hypervisor.Spec
		Arch, Machine, CPU, Disk, Seed, Console string
		Mark                                    hypervisor.Mark
	}{Spec: spec, CPU: "host-passthrough", Disk: disk, Seed: seed, Console: consoleLog(spec),
		Mark: spec.Mark(hypervisor.StateMaking)}
	values.Arch, values.Machine = architecture(spec.Libvirt.Arch)
	if spec.Libvirt.Type == "qemu" {
		values.CPU = "maximum" // everything that the emulation supports
	}
	var text bytes.Buffer
	if err := domainTemplate.Execute(&text, values); err != nil {
		return nil, fmt.Errorf("domain of %s: %w", spec.Name(), err)
	}
	return text.Bytes(), nil
}

// architecture returns libvirt's name of Go's architecture, and QEMU's machine type for it.
func architecture(arch string) (name, machine string) {
	if arch == "arm64" {
		return "aarch64", "virt"
	}
	return "x86_64", "q35"
}

// consoleLog returns the path of the machine's console log; qemuLog returns that of QEMU's log.
func consoleLog(spec hypervisor.Spec) string {
	return "/var/log/libvirt/qemu/" + spec.Name() + "-console.log"
}

func qemuLog(spec hypervisor.Spec) string { return "/var/log/libvirt/qemu/" + spec.Name() + ".log" }

func escape(text string) (string, error) {
	var out bytes.Buffer
	err := xml.EscapeText(&out, []byte(text))
	return out.String(), err
}
