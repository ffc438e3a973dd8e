package seed

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/diskfs/go-diskfs/backend/file"
	"github.com/diskfs/go-diskfs/filesystem/iso9660"
	"sigs.k8s.io/yaml"

	"strata/internal/files/digest"
	"strata/internal/hypervisor"
)

// seedLabel is the label by which cloud-init's NoCloud finds its disk.
const seedLabel = "cidata"

// Files returns the NoCloud files by name. user-data has the host key: the machine has it before
// its sshd first starts, so there is no first contact to trust.
func Files(spec hypervisor.Spec, hostKey []byte) (map[string][]byte, error) {
	user, err := userData(spec, hostKey)
	if err != nil {
		return nil, err
	}
	// cloud-init applies a seed once per instance, so a recreated machine gets a new instance-id.
	meta := map[string]any{"instance-id": spec.Name() + "-" + digest.Sum(hostKey)[:12],
		"local-hostname": spec.Node}
	files := map[string][]byte{}
	for name, content := range map[string]any{"meta-data": meta, "user-data": user,
		"network-config": networkConfig(spec)} {
		text, err := yaml.Marshal(content)
		if err != nil {
			return nil, fmt.Errorf("cloud-init's %s: %w", name, err)
		}
		if name == "user-data" {
			text = append([]byte("#cloud-config\n"), text...)
		}
		files[name] = text
	}
	return files, nil
}

// ISO returns the seed as a disk. The library needs files, so until ISO returns they are in a
// folder that only this user can enter.
func ISO(files map[string][]byte) (iso []byte, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("seed: %w", err)
		}
	}()
	dir, err := os.MkdirTemp("", "strata-seed-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	target, err := os.OpenFile(filepath.Join(dir, "seed.iso"),
		os.O_CREATE|os.O_RDWR|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, target.Close()) }()
	workspace := filepath.Join(dir, "files")
	if err := os.Mkdir(workspace, 0o700); err != nil {
		return nil, err
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(workspace, name), content, 0o600); err != nil {
			return nil, err
		}
	}
	image, err := iso9660.Create(file.New(target, false), 0, 0, 2048, workspace)
	if err != nil {
		return nil, err
	}
	// Rock Ridge keeps the names unchanged.
	if err := image.Finalize(iso9660.FinalizeOptions{RockRidge: true,
		VolumeIdentifier: seedLabel}); err != nil {
		return nil, err
	}
	iso, err = os.ReadFile(target.Name())
	if err == nil && !bytes.Contains(iso, []byte(seedLabel)) {
		err = errors.New("it has no label")
	}
	return iso, err
}
