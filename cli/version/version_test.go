package version

import (
	"bytes"
	"os/exec"
	"runtime"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/config"
)

func TestLinkerVersionOverridesGoBuildInfo(t *testing.T) {
	recorded := &debug.BuildInfo{Main: debug.Module{Version: "v0.0.0-20261123-abc"},
		Settings: []debug.BuildSetting{{Key: "vcs.revision", Value: "abc"}}}
	for name, story := range map[string]struct {
		built          *debug.BuildInfo
		number, commit string
		want           [2]string
	}{
		"make build": {recorded, "v1.2.0-3-gdef", "def", [2]string{"v1.2.0-3-gdef", "def"}},
		"go build":   {recorded, "", "", [2]string{"v0.0.0-20261123-abc", "abc"}},
		"without version control": {&debug.BuildInfo{
			Main: debug.Module{Version: "(devel)"}}, "", "",
			[2]string{Unknown, Unknown}},
		"without modules": {nil, "", "", [2]string{Unknown, Unknown}},
	} {
		info := describe(story.built, story.number, story.commit)
		assert.Equal(t, story.want, [2]string{info.Version, info.Commit}, name)
	}
}

func TestReadReportsBuildAndPins(t *testing.T) {
	info, err := Read(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{runtime.Version(), runtime.GOOS, runtime.GOARCH},
		[]string{info.Go, info.OS, info.Arch})
	assert.Len(t, info.SHA256, 64)
	assert.Contains(t, info.Pins, Pin{config.ArtifactK3s, config.K3sVersion})
	assert.Contains(t, info.Pins, Pin{config.ArtifactArgoCDChart, config.ArgoCDChartVersion})
	seen := map[string]bool{}
	for _, pin := range info.Pins {
		assert.False(t, seen[pin.Name], "%s is there once, whatever the architecture", pin.Name)
		seen[pin.Name] = true
	}
	var out bytes.Buffer
	require.NoError(t, info.Write(&out))
	assert.Regexp(t, `(?m)^strata +\S+$`, out.String())
	assert.Regexp(t, `(?m)^k3s +v1\.`, out.String())
}

func TestCheckoutVersionComesFromGitDescribe(t *testing.T) {
	assert.Empty(t, checkout(t.Context(), t.TempDir()), "a folder without git says nothing")
	folder := t.TempDir()
	for _, args := range [][]string{
		{"init", "--quiet"},
		{"-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "--allow-empty",
			"--message", "first"},
		{"tag", "v1.0.0"},
	} {
		out, err := exec.Command("git", append([]string{"-C", folder}, args...)...).CombinedOutput()
		require.NoError(t, err, string(out))
	}
	assert.Equal(t, "v1.0.0", checkout(t.Context(), folder))
}
