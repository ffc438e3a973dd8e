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

// project is a checkout of hack/artifacts alone, with a go that fills no folder and prints the
// test's text.
type project struct {
	t          *testing.T
	dir, fills string
	// list has the source of each artifact, as the download finds it; plugins is the caller's
	// choice of Pulumi's plugins.
	list, plugins string
}

func newProject(t *testing.T) *project {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	script, err := os.ReadFile("../../hack/artifacts")
	require.NoError(t, err)
	p := &project{t: t, dir: dir}
	p.write("hack/artifacts", string(script))
	// A download has a list, unless it is for a preview.
	p.write("bin/go", `#!/bin/sh
echo "go $*" >> asked
case "$*" in
	*artifacts/originals*) echo "$FILLS" ;;
	*'lab env') echo 'export STRATA_ARTIFACTS=bundle' ;;
	*'lab parts') echo 'PART IS VERSION' ;;
esac
case "$*" in *'-pending .strata/stacks/pending-originals-local '*) echo "$LIST" > .strata/stacks/pending-originals-local ;; esac
`)
	require.NoError(t, os.MkdirAll(filepath.Join(dir, ".strata/stacks"), 0o755))
	return p
}

// stack runs hack/stack with everything but hack/artifacts replaced, and returns its output and its
// calls.
func (p *project) stack(args ...string) (said string, calls []string) {
	p.t.Helper()
	script, err := os.ReadFile("../../hack/stack")
	require.NoError(p.t, err)
	p.write("hack/stack", string(script))
	p.write("Pulumi.yaml", "")
	p.write("Pulumi.local.yaml", "")
	for _, name := range []string{"bin/pulumi", "bin/jq", "hack/howto", ".strata/bin/strata", ".strata/bin/lab"} {
		p.write(name, "#!/bin/sh\necho \"${0##*/} $* $(cat .strata/stacks/originals-local 2> /dev/null)\" >> asked\n")
	}
	require.NoError(p.t, os.MkdirAll(filepath.Join(p.dir, ".strata/runs"), 0o755))
	require.NoError(p.t, os.RemoveAll(filepath.Join(p.dir, "asked")))
	command := exec.CommandContext(p.t.Context(), filepath.Join(p.dir, "hack/stack"), args...)
	command.Dir = p.dir
	command.Env = append(os.Environ(), "PATH="+filepath.Join(p.dir, "bin")+":"+os.Getenv("PATH"),
		"FILLS="+p.fills, "LIST="+p.list, "ORIGINALS=", "PLUGINS="+p.plugins)
	out, err := command.CombinedOutput()
	require.NoError(p.t, err, string(out))
	text, err := os.ReadFile(filepath.Join(p.dir, "asked"))
	require.NoError(p.t, err)
	return string(out), strings.Split(strings.TrimSpace(string(text)), "\n")
}

// calling returns the calls that contain a text.
func calling(calls []string, part string) (found []string) {
	for _, call := range calls {
		if strings.Contains(call, part) {
			found = append(found, call)
		}
	}
	return found
}

func (p *project) write(name, text string) {
	p.t.Helper()
	path := filepath.Join(p.dir, name)
	require.NoError(p.t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(p.t, os.WriteFile(path, []byte(text), 0o755))
}

// refused returns the script's message at a failure.
func (p *project) refused(originals string, args ...string) string {
	p.t.Helper()
	said, _ := p.fails(originals, args...)
	return said
}

// fails returns the script's message at a failure, and its exit code.
func (p *project) fails(originals string, args ...string) (said string, code int) {
	p.t.Helper()
	command := exec.CommandContext(p.t.Context(), filepath.Join(p.dir, "hack/artifacts"), args...)
	command.Env = append(os.Environ(), "ORIGINALS="+originals)
	var stdout, stderr strings.Builder
	command.Stdout, command.Stderr = &stdout, &stderr
	require.Error(p.t, command.Run(), stdout.String())
	assert.Empty(p.t, stdout.String())
	return stderr.String(), command.ProcessState.ExitCode()
}

// run returns the script's output as an eval leaves it: the sources, the folder of originals, and
// the messages.
func (p *project) run(originals string, args ...string) (from, folder, said string) {
	p.t.Helper()
	command := exec.CommandContext(p.t.Context(), "bash", "-c",
		`set -e; chosen=$(hack/artifacts "$@"); eval "$chosen"; printf '%s\n%s\n' "${artifacts:-}" "${ORIGINALS:-}"`,
		"bash")
	command.Args = append(command.Args, args...)
	command.Dir = p.dir
	command.Env = append(os.Environ(), "PATH="+filepath.Join(p.dir, "bin")+":"+os.Getenv("PATH"),
		"ORIGINALS="+originals, "FILLS="+p.fills, "LIST="+p.list)
	var stderr strings.Builder
	command.Stderr = &stderr
	out, err := command.Output()
	require.NoError(p.t, err, stderr.String())
	lines := strings.Split(string(out), "\n")
	return lines[0], lines[1], stderr.String()
}

// asked counts the requests for a download.
func (p *project) asked() int {
	text, err := os.ReadFile(filepath.Join(p.dir, "asked"))
	if os.IsNotExist(err) {
		return 0
	}
	require.NoError(p.t, err)
	return strings.Count(string(text),
		"-into .strata/originals/local -for-up .strata/stacks/originals-local -pending .strata/stacks/pending-originals-local Pulumi.local.yaml\n")
}

// askedAgain counts the requests for the downloads of a deployed stack.
func (p *project) askedAgain() int {
	text, err := os.ReadFile(filepath.Join(p.dir, "asked"))
	require.NoError(p.t, err)
	return strings.Count(string(text), " -is-up Pulumi.local.yaml\n")
}

// state is the stack's in Pulumi's local backend.
const state = ".strata/state/.pulumi/stacks/strata/local.json"

func TestANewStackGetsWhatCanBeHad(t *testing.T) {
	p := newProject(t)
	p.fills = filepath.Join(p.dir, ".strata/originals/local")
	from, folder, _ := p.run("", "up", "local", "")
	assert.Equal(t, []string{"lab", p.fills}, []string{from, folder})
	assert.Equal(t, 1, p.asked())
	p.run(folder, "keep", "local", from)
	require.NoError(t, os.MkdirAll(folder, 0o755))

	from, folder, _ = p.run("", "health", "local", "")
	assert.Equal(t, []string{"lab", p.fills}, []string{from, folder}, "its plugins stay the same")
	assert.Equal(t, 1, p.asked(), "what brings nothing up downloads nothing")
	_, folder, _ = p.run("", "up", "local", "")
	assert.Equal(t, p.fills, folder)
	assert.Equal(t, 2, p.asked(), "nothing of it is up: it is offered all again")
	p.run("", "forget", "local")
	p.fills = ""
	from, folder, _ = p.run("", "up", "local", "")
	assert.Equal(t, []string{"lab", ""}, []string{from, folder}, "nothing answers")
}

// An update in another network must not give a cluster another K3s.
func TestAStackThatIsUpKeepsItsArtifacts(t *testing.T) {
	p := newProject(t)
	p.fills = filepath.Join(p.dir, ".strata/originals/local")
	p.write(state, `{"checkpoint":{"latest":{"resources":[{"urn":"urn:pulumi:local"}]}}}`)
	from, folder, said := p.run("", "up", "local", "")
	assert.Equal(t, []string{"lab", ""}, []string{from, folder}, "it was made before there was a choice")
	assert.Contains(t, said, "Artifacts of stack local: lab, as it was brought up with")

	for _, kept := range []string{"lab", "upstream"} {
		p.run("", "keep", "local", kept)
		from, _, said = p.run("", "up", "local", "")
		assert.Equal(t, kept, from)
		assert.Contains(t, said, "Artifacts of stack local: "+kept)
	}
	own := t.TempDir()
	p.run(own, "keep", "local", "lab")
	from, folder, said = p.run("", "up", "local", "")
	assert.Equal(t, []string{"lab", own}, []string{from, folder}, "a folder of the user's is not filled")
	assert.Contains(t, said, "ORIGINALS="+own)
	assert.Zero(t, p.asked())

	p.write(state, `{"checkpoint":{"latest":{}}}`)
	p.run("", "forget", "local")
	p.run("", "up", "local", "")
	assert.Equal(t, 1, p.asked(), "after its destroy it is a new one")
}

func TestWhatTheCallerSaysCounts(t *testing.T) {
	p := newProject(t)
	p.fills = filepath.Join(p.dir, ".strata/originals/local")
	p.run("", "keep", "local", "lab")
	from, _, said := p.run("", "up", "local", "upstream")
	assert.Equal(t, "upstream", from)
	assert.Empty(t, said)
	from, folder, _ := p.run("../my originals", "up", "local", "")
	assert.Equal(t, []string{"lab", "../my originals"}, []string{from, folder})
	assert.Zero(t, p.asked())
	out, err := exec.CommandContext(t.Context(), filepath.Join(p.dir, "hack/artifacts"), "up", "local",
		"upstraem").CombinedOutput()
	require.Error(t, err)
	assert.Contains(t, string(out), "ARTIFACTS=upstraem: expected lab or upstream")
}

// A folder's K3s, charts and CRDs would be silently ignored.
func TestUpstreamAndAFolderAreRefusedTogether(t *testing.T) {
	p := newProject(t)
	for _, subcommand := range []string{"up", "preview", "down"} {
		said, status := p.fails("../mine", subcommand, "local", "upstream")
		assert.Equal(t, 2, status)
		assert.Contains(t, said,
			"ARTIFACTS=upstream takes everything by strata.lock, and nothing of ORIGINALS=../mine. "+
				"Leave one out: ORIGINALS alone takes the lab's for the rest")
	}
	from, _, _ := p.run("../mine", "up", "local", "lab")
	assert.Equal(t, "lab", from)
}

// The first update had charts and no K3s, because no host answered for it. The next has a better
// network.
func TestAStackThatIsUpIsAskedForWhatItHas(t *testing.T) {
	p := newProject(t)
	p.fills = filepath.Join(p.dir, ".strata/originals/local")
	_, folder, _ := p.run("", "up", "local", "")
	p.run(folder, "keep", "local", "lab")
	require.NoError(t, os.MkdirAll(folder, 0o755))
	p.write(state, `{"checkpoint":{"latest":{"resources":[{"urn":"urn:pulumi:local"}]}}}`)
	p.write(".strata/stacks/originals-local", "k3s lab\n")
	p.list = "k3s upstream"
	for i, subcommand := range []string{"up", "preview", "deploy"} {
		_, folder, _ = p.run("", subcommand, "local", "")
		assert.Equal(t, p.fills, folder)
		assert.Equal(t, i+1, p.askedAgain())
	}
	assert.Equal(t, 1, p.asked(), "another network may give it another K3s")
	p.run("", "forget", "local")
	assert.NoFileExists(t, filepath.Join(p.dir, ".strata/stacks/originals-local"))
}

// The list holds the sources of the deployed artifacts, not those of a preview or of an update that
// failed before it deployed anything.
func TestTheListIsWhatWasBroughtUp(t *testing.T) {
	p := newProject(t)
	p.fills = filepath.Join(p.dir, ".strata/originals/local")
	list := filepath.Join(p.dir, ".strata/stacks/originals-local")
	listed := func() string {
		text, err := os.ReadFile(list)
		require.NoError(t, err)
		return string(text)
	}
	p.list = "k3s upstream"
	_, calls := p.stack("preview", "local", "")
	assert.Len(t, calling(calls, "-apart .strata/originals-preview/local Pulumi.local.yaml"), 1)
	assert.Empty(t, calling(calls, "-pending"))
	p.run("", "up", "local", "")
	assert.NoFileExists(t, list)
	assert.NoFileExists(t, filepath.Join(p.dir, ".strata/stacks/artifacts-local"))

	_, calls = p.stack("up", "local", "")
	assert.NotContains(t, calling(calls, "lab machines")[0], "upstream", "nothing is brought up before")
	assert.Contains(t, calling(calls, "strata record")[0], "k3s upstream", "an up that fails halfway has brought it up")
	require.NoError(t, os.MkdirAll(p.fills, 0o755))
	p.write(state, `{"checkpoint":{"latest":{"resources":[{"urn":"urn:pulumi:local"}]}}}`)
	p.list = "k3s lab"
	p.stack("preview", "local", "")
	p.stack("health", "local", "")
	p.run("", "up", "local", "")
	assert.Equal(t, "k3s upstream\n", listed())
	_, calls = p.stack("deploy", "local", "", "echo", "v2")
	assert.Contains(t, calling(calls, "strata record")[0], "k3s lab", "it is an up as well")

	p.list = "k3s elsewhere"
	p.run("", "up", "local", "")
	p.stack("up", "local", "lab")
	assert.Equal(t, "k3s lab\n", listed(), "what was found before is no part of another choice")
	assert.NoFileExists(t, filepath.Join(p.dir, ".strata/stacks/pending-originals-local"))
	p.stack("down", "local", "")
	assert.NoFileExists(t, list)
}

// Such a stack does not run the lab's bundle.
func TestAnUpFromUpstreamShowsNoPartsOfABundleThatNothingUses(t *testing.T) {
	p := newProject(t)
	said, calls := p.stack("up", "local", "lab")
	assert.Contains(t, said, "PART IS VERSION")
	assert.NotContains(t, said, "strata.lock")
	assert.Len(t, calling(calls, "lab parts"), 1)

	said, calls = p.stack("up", "local", "upstream")
	assert.Empty(t, calling(calls, "lab parts"))
	assert.Contains(t, said,
		"Artifacts of stack local: upstream's, by strata.lock. Pulumi's plugins are the lab's stand-ins; PLUGINS=official takes the official ones")
	p.plugins = "official"
	said, _ = p.stack("up", "local", "upstream")
	assert.Contains(t, said,
		"Artifacts of stack local: upstream's, by strata.lock. Pulumi's plugins are the official ones\n")
}

// The record of a moved or copied checkout names a folder of the old place.
func TestACheckoutThatWasMovedHasItsDownloads(t *testing.T) {
	p := newProject(t)
	p.fills = filepath.Join(p.dir, ".strata/originals/local")
	_, folder, _ := p.run("", "up", "local", "")
	p.run(folder, "keep", "local", "lab")
	require.NoError(t, os.MkdirAll(folder, 0o755))
	p.write(state, `{"checkpoint":{"latest":{"resources":[{"urn":"urn:pulumi:local"}]}}}`)
	moved := filepath.Join(filepath.Dir(p.dir), "moved")
	require.NoError(t, os.Rename(p.dir, moved))
	p.dir, p.fills = moved, filepath.Join(moved, ".strata/originals/local")
	// as the script wrote it, and as it wrote it before
	for _, record := range []string{"", "/somewhere/else/.strata/originals/local\n"} {
		if record != "" {
			p.write(".strata/stacks/artifacts-local", record)
		}
		for _, subcommand := range []string{"up", "health", "down"} {
			from, folder, _ := p.run("", subcommand, "local", "")
			assert.Equal(t, []string{"lab", p.fills}, []string{from, folder}, subcommand)
		}
	}
	assert.Equal(t, 2, p.askedAgain())
}

func TestOriginalsThatAreGoneStopAnUpAndNothingElse(t *testing.T) {
	p := newProject(t)
	const gone = "/srv/originals that are gone"
	p.run(gone, "keep", "local", "lab")
	for _, subcommand := range []string{"down", "health", "load"} {
		from, folder, said := p.run("", subcommand, "local", "")
		assert.Equal(t, []string{"lab", ""}, []string{from, folder}, subcommand)
		assert.Contains(t, said, "ORIGINALS="+gone+" is not there")
	}
	for _, subcommand := range []string{"up", "preview", "deploy"} {
		said := p.refused("", subcommand, "local", "")
		assert.Contains(t, said, "stack local was brought up with ORIGINALS="+gone+", which is not there")
		assert.Contains(t, said, "make "+subcommand+" ORIGINALS=DIR")
		assert.Contains(t, said, "ARTIFACTS=lab or upstream")
	}
	from, folder, _ := p.run("", "up", "local", "lab")
	assert.Equal(t, []string{"lab", ""}, []string{from, folder}, "who says so gets it")

	// The files are downloaded again.
	p.fills = filepath.Join(p.dir, ".strata/originals/local")
	p.run(p.fills, "keep", "local", "lab")
	from, folder, _ = p.run("", "down", "local", "")
	assert.Equal(t, []string{"lab", ""}, []string{from, folder}, "a destroy needs none of it")
	_, folder, _ = p.run("", "up", "local", "")
	assert.Equal(t, p.fills, folder)
}
