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

// project is a checkout of hack/artifacts alone, in which go fills nothing and prints what the test says.
type project struct {
	t          *testing.T
	dir, fills string
}

func newProject(t *testing.T) *project {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	script, err := os.ReadFile("../../../hack/artifacts")
	require.NoError(t, err)
	p := &project{t: t, dir: dir}
	p.write("hack/artifacts", string(script))
	p.write("bin/go", "#!/bin/sh\necho \"$@\" >> asked\necho \"$FILLS\"\n")
	return p
}

func (p *project) write(name, text string) {
	p.t.Helper()
	path := filepath.Join(p.dir, name)
	require.NoError(p.t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(p.t, os.WriteFile(path, []byte(text), 0o755))
}

// refused is what the script says where it fails.
func (p *project) refused(originals string, args ...string) string {
	p.t.Helper()
	said, _ := p.fails(originals, args...)
	return said
}

// fails is what the script says where it fails, and its exit code.
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

// run is what the script prints and says, as an eval leaves it: where from, and the folder of originals.
func (p *project) run(originals string, args ...string) (from, folder, said string) {
	p.t.Helper()
	command := exec.CommandContext(p.t.Context(), "bash", "-c", `set -e; chosen=$(hack/artifacts "$@"); eval "$chosen"; printf '%s\n%s\n' "${artifacts:-}" "${ORIGINALS:-}"`, "bash")
	command.Args = append(command.Args, args...)
	command.Dir = p.dir
	command.Env = append(os.Environ(), "PATH="+filepath.Join(p.dir, "bin")+":"+os.Getenv("PATH"), "ORIGINALS="+originals, "FILLS="+p.fills)
	var stderr strings.Builder
	command.Stderr = &stderr
	out, err := command.Output()
	require.NoError(p.t, err, stderr.String())
	lines := strings.Split(string(out), "\n")
	return lines[0], lines[1], stderr.String()
}

// asked is how often something was to be downloaded.
func (p *project) asked() int {
	text, err := os.ReadFile(filepath.Join(p.dir, "asked"))
	if os.IsNotExist(err) {
		return 0
	}
	require.NoError(p.t, err)
	return strings.Count(string(text), "-into .strata/originals/local -for-up .strata/stacks/originals-local Pulumi.local.yaml\n")
}

// askedAgain is how often it was of a stack that is up.
func (p *project) askedAgain() int {
	text, err := os.ReadFile(filepath.Join(p.dir, "asked"))
	require.NoError(p.t, err)
	return strings.Count(string(text), "-into .strata/originals/local -for-up .strata/stacks/originals-local -is-up Pulumi.local.yaml\n")
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

// An up in another network must not give a cluster another K3s.
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
	out, err := exec.CommandContext(t.Context(), filepath.Join(p.dir, "hack/artifacts"), "up", "local", "upstraem").CombinedOutput()
	require.Error(t, err)
	assert.Contains(t, string(out), "ARTIFACTS=upstraem: expected lab or upstream")
}

// A folder's K3s, charts and CRDs would be left out without a word.
func TestUpstreamAndAFolderAreRefusedTogether(t *testing.T) {
	p := newProject(t)
	for _, subcommand := range []string{"up", "preview", "down"} {
		said, status := p.fails("../mine", subcommand, "local", "upstream")
		assert.Equal(t, 2, status)
		assert.Contains(t, said, "ARTIFACTS=upstream takes everything by strata.lock, and nothing of ORIGINALS=../mine. "+
			"Leave one out: ORIGINALS alone takes the lab's for the rest")
	}
	from, _, _ := p.run("../mine", "up", "local", "lab")
	assert.Equal(t, "lab", from)
}

// The first up had charts and no K3s, because no host answered for it. The next is in a network where it can be had.
func TestAStackThatIsUpIsAskedForWhatItHas(t *testing.T) {
	p := newProject(t)
	p.fills = filepath.Join(p.dir, ".strata/originals/local")
	_, folder, _ := p.run("", "up", "local", "")
	p.run(folder, "keep", "local", "lab")
	require.NoError(t, os.MkdirAll(folder, 0o755))
	p.write(state, `{"checkpoint":{"latest":{"resources":[{"urn":"urn:pulumi:local"}]}}}`)
	p.write(".strata/stacks/originals-local", "k3s lab\n")
	for i, subcommand := range []string{"up", "preview", "deploy"} {
		_, folder, _ = p.run("", subcommand, "local", "")
		assert.Equal(t, p.fills, folder)
		assert.Equal(t, i+1, p.askedAgain())
	}
	assert.Equal(t, 1, p.asked(), "another network may give it another K3s")
	p.run("", "forget", "local")
	assert.NoFileExists(t, filepath.Join(p.dir, ".strata/stacks/originals-local"))
}

// The record of a checkout that was moved, or copied, names a folder of the old place.
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
	for _, record := range []string{"", "/somewhere/else/.strata/originals/local\n"} { // as the script wrote it, and as it wrote it before
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

	// Downloads come again.
	p.fills = filepath.Join(p.dir, ".strata/originals/local")
	p.run(p.fills, "keep", "local", "lab")
	from, folder, _ = p.run("", "down", "local", "")
	assert.Equal(t, []string{"lab", ""}, []string{from, folder}, "a destroy needs none of it")
	_, folder, _ = p.run("", "up", "local", "")
	assert.Equal(t, p.fills, folder)
}
