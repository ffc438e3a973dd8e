package plugin

import (
	"os/exec"
	"testing"

	"github.com/stretchr/testify/assert"
)

// The engine sends a plugin its configuration under the name of the plugin's package, whatever the
// name of the binary is.
func TestPluginNameIsPackageNameForAnyFileName(t *testing.T) {
	for _, path := range []string{
		"/bin/pulumi-resource-kubernetes",
		"/originals/pulumi-resource-kubernetes-v4.30.0",
		"/home/plugins/resource-kubernetes-v4.30.0/pulumi-resource-kubernetes",
		"/src/pulumi-resource-command/pulumi-resource-kubernetes-v4.30.0-rc.1",
	} {
		p := &Plugin{command: &exec.Cmd{Path: path}}
		assert.Equal(t, "kubernetes", p.name(), path)
	}
}
