package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// checkout is a folder with hack/stack and stand-ins for everything that it runs. config/needed
// answers as for stack local, whose file names the lab's bundle, and for staging, whose file names
// no bundle.
type checkout struct {
	t   *testing.T
	dir string
	env []string
}

func newCheckout(t *testing.T) *checkout {
	t.Helper()
	script, err := os.ReadFile("../../hack/stack")
	require.NoError(t, err)
	c := &checkout{t: t, dir: t.TempDir()}
	c.write("hack/stack", string(script))
	c.write("bin/go", `#!/bin/sh
echo "go $*" >> asked
case "$*" in
	*'config/needed Pulumi.local.yaml'*) source=${STRATA_ARTIFACTS:-.strata/bundle} ;;
	*config/needed*) source=${STRATA_ARTIFACTS:-upstream} ;;
	*'lab build'*) echo /cache/bundle ;;
	*'lab parts'*) echo 'PART IS VERSION' ;;
esac
case "$source" in
	.strata/bundle) printf 'k3s\nmetallb-chart\nlab\n' ;;
	?*) echo "$source" ;;
esac
`)
	for _, name := range []string{"bin/pulumi", "bin/jq", "hack/howto", ".strata/bin/strata",
		".strata/bin/lab"} {
		c.write(name, "#!/bin/sh\necho \"${0##*/} $* from ${STRATA_ARTIFACTS:-the file}\" >> asked\n")
	}
	for _, name := range []string{"Pulumi.yaml", "Pulumi.local.yaml", "Pulumi.staging.yaml", ".strata/runs/none"} {
		c.write(name, "")
	}
	return c
}

func (c *checkout) write(name, text string) {
	c.t.Helper()
	path := filepath.Join(c.dir, name)
	require.NoError(c.t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(c.t, os.WriteFile(path, []byte(text), 0o755))
}

// run runs hack/stack, and returns its output and the commands that it ran.
func (c *checkout) run(args ...string) (output string, calls string, err error) {
	c.t.Helper()
	require.NoError(c.t, os.RemoveAll(filepath.Join(c.dir, "asked")))
	command := exec.CommandContext(c.t.Context(), filepath.Join(c.dir, "hack/stack"), args...)
	command.Dir = c.dir
	command.Env = append(os.Environ(), "PATH="+filepath.Join(c.dir, "bin")+":"+os.Getenv("PATH"),
		"ORIGINALS=", "PLUGINS=", "STRATA_ARTIFACTS=")
	command.Env = append(command.Env, c.env...)
	out, err := command.CombinedOutput()
	text, readErr := os.ReadFile(filepath.Join(c.dir, "asked"))
	if !os.IsNotExist(readErr) {
		require.NoError(c.t, readErr)
	}
	return string(out), string(text), err
}

// Real hosts must not get the lab's K3s because a download failed.
func TestLabArtifactsReachOnlyLabStacksUnlessRequested(t *testing.T) {
	for name, test := range map[string]struct {
		stack, artifacts, originals string
		// built are the artifacts that the lab builds. source is the program's source of artifacts.
		built, source string
	}{
		"local":            {"local", "", "", "k3s\nmetallb-chart", "the file"},
		"local, upstream":  {"local", "upstream", "", "", "upstream"},
		"local, originals": {"local", "", "/srv/originals", "k3s\nmetallb-chart", "/cache/bundle"},
		"local, both": {"local", "lab", "/srv/originals", "k3s\nmetallb-chart",
			"/cache/bundle"},
		"staging":           {"staging", "", "", "", "the file"},
		"staging, upstream": {"staging", "upstream", "", "", "upstream"},
		"staging, lab":      {"staging", "lab", "", "k3s\nmetallb-chart", ".strata/bundle"},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCheckout(t)
			c.env = []string{"ORIGINALS=" + test.originals}
			for _, subcommand := range []string{"up", "preview"} {
				output, calls, err := c.run(subcommand, test.stack, test.artifacts)
				require.NoError(t, err, output)
				assert.Contains(t, calls, "lab build --for "+test.built+"\n", subcommand)
				run := "pulumi preview --stack " + test.stack
				if subcommand == "up" {
					run = "strata record --stack " + test.stack
				}
				at := strings.Index(calls, run)
				require.GreaterOrEqual(t, at, 0, calls)
				line, _, _ := strings.Cut(calls[at:], "\n")
				assert.True(t, strings.HasSuffix(line, " from "+test.source), line)
			}
		})
	}
}

func TestUnknownArtifactSourceIsRejectedBeforeBuild(t *testing.T) {
	c := newCheckout(t)
	output, calls, err := c.run("up", "local", "upstraem")
	require.ErrorContains(t, err, "exit status 2")
	assert.Contains(t, output, "ARTIFACTS=upstraem ORIGINALS=: expected ARTIFACTS=lab or upstream, or ORIGINALS=DIR")
	assert.Empty(t, calls)

	// No file of this folder would be used.
	c.env = []string{"ORIGINALS=../mine"}
	for _, subcommand := range []string{"up", "preview", "down"} {
		output, calls, err = c.run(subcommand, "local", "upstream")
		require.ErrorContains(t, err, "exit status 2")
		assert.Contains(t, output, "ARTIFACTS=upstream ORIGINALS=../mine: expected")
		assert.Empty(t, calls)
	}
}

func TestUpdateListsBundlePartsOnlyWithLabBundle(t *testing.T) {
	c := newCheckout(t)
	output, calls, err := c.run("up", "local", "")
	require.NoError(t, err, output)
	assert.Contains(t, output, "PART IS VERSION")
	assert.NotContains(t, calls, "strata fetch")

	output, calls, err = c.run("up", "staging", "")
	require.NoError(t, err, output)
	assert.NotContains(t, calls, "lab parts")
	assert.Contains(t, calls, "strata fetch", "there is no lock")
	assert.Contains(t, output, "Artifacts of stack staging come from upstream. "+
		"Pulumi's plugins are the lab's stand-ins; PLUGINS=official takes the official ones")
	c.env = []string{"PLUGINS=official", "STRATA_ARTIFACTS=/srv/bundle"}
	output, calls, err = c.run("up", "staging", "")
	require.NoError(t, err, output)
	assert.NotContains(t, calls, "strata fetch")
	assert.Contains(t, output, "Artifacts of stack staging come from /srv/bundle. Pulumi's "+
		"plugins are the official ones\n")
}

// Hosts get the image of the example application from the lab's bundle.
func TestExampleImageComesOnlyFromLabBundle(t *testing.T) {
	c := newCheckout(t)
	output, calls, err := c.run("deploy", "local", "", "echo", "v2")
	require.NoError(t, err, output)
	assert.Contains(t, calls, "docker.io/strata/testserver:v1")
	output, _, err = c.run("deploy", "staging", "", "echo", "v2")
	require.Error(t, err)
	assert.Contains(t, output, "no public registry has the image of the example application")
}
