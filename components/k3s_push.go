package components

import (
	"fmt"
	"strconv"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumix"

	"strata/actions"
	"strata/actions/hosts/push"
	"strata/artifacts"
	"strata/config"
	"strata/health"
	"strata/internal/k3shost"
	"strata/internal/pulumi/rerun"
	"strata/internal/pulumi/self"
)

// pushed is an artifact with its destination on a host.
type pushed struct {
	role, destination, mode string
	artifact                artifacts.Artifact
	// images is true for an image archive, which a running K3s then imports at once.
	images bool
}

// push registers, for each artifact, a command that copies it to the host. The commands verify the
// checksum at both ends, skip files that the host already has, and read no file in a preview
// (docs/adr/0005).
func (k *k3s) push(name string, host *Host, uninstall pulumi.Resource) ([]pulumi.Resource, error) {
	files, err := k.files()
	if err != nil {
		return nil, err
	}
	pushes := []pulumi.Resource{}
	for _, file := range files {
		input := pulumix.Apply(host.pinnedTarget(), func(host health.Host) push.Input {
			return push.Input{
				Target: host.Target, File: file.artifact.Path, SHA256: file.artifact.SHA256,
				Dest: file.destination, Mode: file.mode, Images: file.images,
				Timeout: k.args.Timeouts.Install,
			}
		})
		command := actions.CommandOf(push.Send, input, pulumi.StringMap{self.SSHKey: host.SSHKey})
		copied, err := newCommand(k.ctx, name+"-"+file.role, command,
			// The copy has no Pulumi timeout, because it may be slow. The command itself fails if
			// no data are transferred for some time.
			append(childOf(k, uninstall), host.deletedWith(), rerun.ReplaceOnChange())...)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file.role, err)
		}
		pushes = append(pushes, copied)
	}
	return pushes, nil
}

// files returns the artifacts that every node gets. With a bundle, these include the image archives
// of all enabled layers. With upstream artifacts, they include only K3s's own archive, and nodes
// pull the other images.
func (k *k3s) files() ([]pushed, error) {
	binary, err := k.args.Artifacts.Get(config.ArtifactK3s)
	if err != nil {
		return nil, err
	}
	installer, err := k.args.Artifacts.Get(config.ArtifactK3sInstall)
	if err != nil {
		return nil, err
	}
	files := []pushed{
		{role: "binary", destination: k3shost.Staged, mode: "0755", artifact: binary},
		{role: "installer", destination: "/var/lib/strata/k3s-install.sh", mode: "0700",
			artifact: installer},
	}
	// Archives are numbered per artifact that they belong to, so enabling a layer adds resources
	// and renames none.
	count := map[string]int{}
	for _, archive := range k.args.Artifacts.List(config.ArtifactK3sImages) {
		role := "images-"
		if archive.For != "" {
			role += archive.For + "-"
		}
		files = append(files, pushed{
			role:        role + strconv.Itoa(count[archive.For]),
			destination: "/var/lib/rancher/k3s/agent/images/" + archive.FileName(), mode: "0644",
			artifact: archive, images: true,
		})
		count[archive.For]++
	}
	return files, nil
}
