package libvirt

import (
	"bytes"
	"context"
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"strata/internal/hypervisor"
	"strata/internal/hypervisor/driver"
)

// libvirt drives virsh. Its syntax is virsh(1)'s, https://libvirt.org/manpages/virsh.html.
type libvirt struct{ driver.Runner }

// New returns the driver of one machine.
func New(host hypervisor.Host, spec hypervisor.Spec) driver.Driver {
	return &libvirt{driver.Runner{Host: host, Spec: spec}}
}

// domain holds the parts of a domain's XML that Strata reads,
// https://libvirt.org/formatdomain.html.
type domain struct {
	UUID   string `xml:"uuid"`
	Memory struct {
		Unit  string `xml:"unit,attr"`
		Value int    `xml:",chardata"`
	} `xml:"memory"`
	VCPU  int       `xml:"vcpu"`
	Marks []markXML `xml:"metadata>vm"`
}

// volumes returns the names of the machine's volumes in the pool.
func (l *libvirt) volumes() (disk, seed string) {
	return l.Spec.Name() + ".qcow2", l.Spec.Name() + "-seed.iso"
}

// virsh runs a command of virsh on the hypervisor's libvirt.
func (l *libvirt) virsh(ctx context.Context, words ...string) (string, error) {
	return l.Command(ctx, append([]string{"virsh", "-q", "-c", l.Spec.Libvirt.URI}, words...)...)
}

// lists reports whether a listing command of virsh prints a name.
func (l *libvirt) lists(ctx context.Context, name string, words ...string) (bool, error) {
	output, err := l.virsh(ctx, words...)
	if err != nil {
		return false, err
	}
	return slices.Contains(strings.Fields(output), name), nil
}

func (l *libvirt) Find(ctx context.Context) (*driver.Found, error) {
	name := l.Spec.Name()
	// Only a list distinguishes a missing domain from a libvirt that does not answer: other
	// commands exit with 1 in both cases.
	there, err := l.lists(ctx, name, "list", "--all", "--name")
	if err != nil {
		return nil, err
	}
	if !there {
		return nil, nil
	}
	have, err := l.read(ctx, name)
	if err != nil {
		return nil, err
	}
	if !l.Spec.Owns(have.Mark) {
		return nil, l.Spec.Foreign(l.Host.String(), "there is a domain "+name,
			"rename the node or the stack, or move the domain away", have.Mark)
	}
	have.DiskGiB, err = l.diskGiB(ctx)
	return have, err
}

// read returns a domain of any owner, without its disk.
func (l *libvirt) read(ctx context.Context, name string) (*driver.Found, error) {
	text, err := l.virsh(ctx, "dumpxml", "--inactive", name)
	if err != nil {
		return nil, err
	}
	var d domain
	if err := xml.Unmarshal([]byte(text), &d); err != nil {
		return nil, fmt.Errorf("%s: domain %s: %w", l.Host, name, err)
	}
	have := &driver.Found{ID: d.UUID, CPUs: d.VCPU,
		MemoryMiB: mebibytes(d.Memory.Value, d.Memory.Unit)}
	for _, one := range d.Marks {
		if one.XMLName.Space == markSpace {
			have.Mark = one.mark()
		}
	}
	state, err := l.virsh(ctx, "domstate", name)
	have.Running = strings.TrimSpace(state) != "shut off"
	return have, err
}

// mebibytes converts a size with libvirt's unit to MiB.
func mebibytes(value int, unit string) int {
	switch unit {
	case "b", "bytes":
		return value >> 20
	case "MiB", "M":
		return value
	case "GiB", "G":
		return value << 10
	}
	return value >> 10 // KiB, the default
}

// diskGiB returns the size of the machine's disk; 0 if it has none.
func (l *libvirt) diskGiB(ctx context.Context) (int, error) {
	disk, _ := l.volumes()
	there, err := l.hasVolume(ctx, disk)
	if err != nil || !there {
		return 0, err
	}
	text, err := l.virsh(ctx, "vol-dumpxml", "--pool", l.Spec.Libvirt.Pool, disk)
	if err != nil {
		return 0, err
	}
	var volume struct {
		Capacity int64 `xml:"capacity"` // in bytes, always
	}
	if err := xml.Unmarshal([]byte(text), &volume); err != nil {
		return 0, fmt.Errorf("%s: volume %s: %w", l.Host, disk, err)
	}
	return int(volume.Capacity >> 30), nil
}

func (l *libvirt) hasVolume(ctx context.Context, name string) (bool, error) {
	return l.lists(ctx, name, "vol-list", "--pool", l.Spec.Libvirt.Pool)
}

// Make creates the volumes after the domain, because only the domain records its owner.
func (l *libvirt) Make(ctx context.Context, seed []byte) (*driver.Found, error) {
	if err := l.refuseVolumes(ctx); err != nil {
		return nil, err
	}
	text, err := domainXML(l.Spec)
	if err != nil {
		return nil, err
	}
	if _, err := l.Feed(ctx, bytes.NewReader(text), int64(len(text)), "virsh", "-q", "-c",
		l.Spec.Libvirt.URI, "define", "/dev/stdin"); err != nil {
		return nil, err
	}
	have := &driver.Found{ID: l.Spec.Name(), Mark: l.Spec.Mark(hypervisor.StateMaking)}
	if err := l.makeVolumes(ctx, seed); err != nil {
		return have, err
	}
	have.ID, err = l.virsh(ctx, "domuuid", l.Spec.Name())
	return have, err
}

// refuseVolumes returns a ForeignError if a volume with the name of one of the machine's volumes
// exists. It is called if the machine's domain does not exist.
func (l *libvirt) refuseVolumes(ctx context.Context) error {
	disk, seed := l.volumes()
	for _, volume := range []string{disk, seed} {
		there, err := l.hasVolume(ctx, volume)
		if err != nil {
			return err
		}
		if there {
			return &hypervisor.ForeignError{Where: l.Host.String(),
				What: "there is a volume " + volume + " without its domain",
				Fix: "if it is not needed: virsh vol-delete --pool " + l.Spec.Libvirt.Pool +
					" " + volume}
		}
	}
	return nil
}

// makeVolumes clones the image to the disk, resizes the disk, and uploads the seed.
func (l *libvirt) makeVolumes(ctx context.Context, seed []byte) error {
	disk, seedVolume := l.volumes()
	pool := l.Spec.Libvirt.Pool
	if _, err := l.virsh(ctx, "vol-clone", "--pool", pool, l.imageVolume(), disk); err != nil {
		return err
	}
	if _, err := l.virsh(ctx, "vol-resize", "--pool", pool, disk,
		strconv.Itoa(l.Spec.DiskGiB)+"GiB"); err != nil {
		return err
	}
	return l.upload(ctx, seedVolume, "raw", bytes.NewReader(seed), int64(len(seed)))
}

// upload creates a volume from content. libvirt makes volumes readable by root only.
func (l *libvirt) upload(
	ctx context.Context, volume, format string, content io.Reader, size int64,
) error {
	pool := l.Spec.Libvirt.Pool
	if _, err := l.virsh(ctx, "vol-create-as", "--pool", pool, volume, strconv.FormatInt(size, 10),
		"--format", format); err != nil {
		return err
	}
	_, err := l.Feed(ctx, content, size, "virsh", "-q", "-c", l.Spec.Libvirt.URI, "vol-upload",
		"--pool", pool, volume, "/dev/stdin")
	return err
}

// Sign changes the domain's stored definition, which Find reads.
func (l *libvirt) Sign(ctx context.Context, _ *driver.Found, mark hypervisor.Mark) error {
	text, err := xml.Marshal(newMarkXML(mark))
	if err != nil {
		return err
	}
	_, err = l.virsh(ctx, "metadata", l.Spec.Name(), "--config", "--uri", markSpace, "--key",
		"strata",
		"--set", string(text))
	return err
}

func (l *libvirt) Finish(ctx context.Context, have *driver.Found) error {
	if err := l.Sign(ctx, have, l.Spec.Mark(hypervisor.StateMade)); err != nil {
		return err
	}
	_, err := l.virsh(ctx, "autostart", l.Spec.Name())
	return err
}

func (l *libvirt) Start(ctx context.Context, _ *driver.Found) error {
	_, err := l.virsh(ctx, "start", l.Spec.Name())
	return err
}

// imageVolume returns the image's name in the pool, which depends on the stack and on the image's
// content.
func (l *libvirt) imageVolume() string {
	return fmt.Sprintf("strata-%s-image-%.12s.qcow2", l.Spec.Stack, l.Spec.Image.SHA256)
}

// PutImage uploads the image unless the pool has it. If a volume of this name has a wrong sum,
// because an upload was interrupted, PutImage replaces it.
func (l *libvirt) PutImage(ctx context.Context) error {
	there, err := l.hasVolume(ctx, l.imageVolume())
	if err != nil {
		return err
	}
	if there {
		sum, err := l.virsh(ctx, "vol-path", "--pool", l.Spec.Libvirt.Pool, l.imageVolume())
		if err == nil {
			sum, err = l.Command(ctx, "sha256sum", sum)
		}
		if err != nil {
			return err
		}
		if strings.HasPrefix(sum, l.Spec.Image.SHA256) {
			return nil
		}
		if err := l.RemoveImage(ctx); err != nil {
			return err
		}
	}
	return l.WithImage(ctx, func(content io.Reader, size int64) error {
		return l.upload(ctx, l.imageVolume(), "qcow2", content, size)
	})
}

func (l *libvirt) RemoveImage(ctx context.Context) error {
	return l.removeVolume(ctx, l.imageVolume())
}

// removeVolume removes a volume; a missing one is no error.
func (l *libvirt) removeVolume(ctx context.Context, name string) error {
	there, err := l.hasVolume(ctx, name)
	if err != nil || !there {
		return err
	}
	_, err = l.virsh(ctx, "vol-delete", "--pool", l.Spec.Libvirt.Pool, name)
	return err
}
