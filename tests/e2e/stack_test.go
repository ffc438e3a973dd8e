package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"strata/internal/pulumi/statelayout"
)

// stack is a Pulumi stack of a story. Its methods run Pulumi and Strata.
type stack struct {
	t      *testing.T
	name   string
	dir    string // the story's own folder: state, PULUMI_HOME, stack file
	config string // the stack file
	// backend is the folder of the state.
	backend string
	env     []string
	// program is the folder of the Pulumi program; empty means Strata.
	program string
	// failure is the command that failed the story, with its output.
	failure string
	known   outputs
	// serverArgs are arguments of K3s's servers in each configuration of the stack.
	serverArgs map[string]any
}

// newStack makes an empty stack whose configuration is sections (without their namespace).
func newStack(t *testing.T, name string, sections map[string]any) *stack {
	t.Helper()
	s := &stack{t: t, name: name, dir: t.TempDir()}
	t.Cleanup(s.repeatFailure)
	s.config = filepath.Join(s.dir, "Pulumi."+name+".yaml")
	s.env = append(os.Environ(), s.environment()...)
	s.configure(sections)
	project, err := os.ReadFile(filepath.Join(root, "Pulumi.yaml"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(s.dir, "Pulumi.yaml"), project, 0o600))
	s.must(s.run("pulumi", "-C", s.dir, "stack", "init", name))
	return s
}

// environment returns the variables that separate the story's Pulumi from the user's own.
func (s *stack) environment() []string {
	home := filepath.Join(s.dir, "home")
	s.backend = filepath.Join(s.dir, "state")
	require.NoError(s.t, os.MkdirAll(s.backend, 0o700))
	require.NoError(s.t, os.MkdirAll(home, 0o700))
	for _, part := range []string{"bin", "plugins"} {
		require.NoError(s.t, os.Symlink(filepath.Join(pulumiHome, part), filepath.Join(home, part)))
	}
	return []string{
		"PATH=" + filepath.Join(pulumiHome, "bin") + ":" + os.Getenv("PATH"),
		"PULUMI_HOME=" + home,
		"PULUMI_BACKEND_URL=file://" + s.backend + "?metadata=skip", // as in `make up`: a kill leaves no incomplete file
		"PULUMI_CONFIG_PASSPHRASE=" + passphrase,
		"PULUMI_SKIP_UPDATE_CHECK=true",
		"PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION=true",
		"STRATA_ARTIFACTS=" + bundle,
		"GOFLAGS=-buildvcs=false -trimpath -gcflags=all=-dwarf=false",
	}
}

// passphrase encrypts the secrets in the story's state. Steps that look for leaked secrets search
// for it.
const passphrase = "e2e-passphrase-that-must-not-leak"

// configure writes the stack file. It keeps the salt that `stack init` added.
func (s *stack) configure(sections map[string]any) {
	s.t.Helper()
	old := map[string]any{}
	if text, err := os.ReadFile(s.config); err == nil {
		require.NoError(s.t, yaml.Unmarshal(text, &old))
	}
	values := map[string]any{}
	for section, value := range sections {
		values["strata:"+section] = value
	}
	if sections["cluster"] == nil {
		k3s := allowingCgroupV1(sections["k3s"])
		maps.Copy(k3s["serverArgs"].(map[string]any), s.serverArgs)
		values["strata:k3s"] = k3s
	}
	old["config"] = values
	text, err := yaml.Marshal(old)
	require.NoError(s.t, err)
	require.NoError(s.t, os.WriteFile(s.config, text, 0o600))
}

// allowingCgroupV1 adds the kubelet argument fail-cgroupv1=false to section k3s. Without it, the
// kubelet of Kubernetes 1.35 and later refuses machines with cgroup v1, which the lab's may have.
func allowingCgroupV1(section any) map[string]any {
	given, _ := section.(map[string]any)
	k3s := maps.Clone(given)
	if k3s == nil {
		k3s = map[string]any{}
	}
	for _, key := range []string{"serverArgs", "agentArgs"} {
		given, _ := k3s[key].(map[string]any)
		args, _ := given["kubelet-arg"].([]any)
		if !slices.Contains(args, any("fail-cgroupv1=false")) {
			args = append(slices.Clip(args), "fail-cgroupv1=false")
		}
		k3s[key] = merged(given, map[string]any{"kubelet-arg": args})
	}
	return k3s
}

// result has the output of a command, its error and its times.
type result struct {
	line, output string
	err          error
	began        time.Time
	took         time.Duration
	pieces       []piece
}

// run runs a command in the checkout with the story's environment.
func (s *stack) run(name string, args ...string) result {
	return s.runIn(root, name, args...)
}

func (s *stack) runIn(dir, name string, args ...string) result {
	return s.finish(s.command(dir, name, args...))
}

// feed runs a subcommand with its input on stdin, as Pulumi does for a resource.
func (s *stack) feed(input any, args ...string) result {
	text, err := json.Marshal(input)
	require.NoError(s.t, err)
	cmd := s.command(root, strata, args...)
	cmd.Stdin, cmd.Env = bytes.NewReader(text), append(s.env[:len(s.env):len(s.env)],
		"STRATA_KUBECONFIG="+s.output("kubeconfig"), statelayout.Variable+"="+statelayout.Version)
	return s.finish(cmd)
}

func (s *stack) finish(cmd *exec.Cmd) result {
	output := &transcript{}
	cmd.Stdout, cmd.Stderr = output, output
	started := time.Now()
	err := cmd.Run()
	r := result{line: strings.Join(cmd.Args, " "), output: output.text.String(), err: err,
		began: started, took: time.Since(started), pieces: output.pieces}
	s.t.Logf("%s  (%s)", r.line, r.took.Round(100*time.Millisecond))
	return r
}

// command returns a command with the story's environment.
func (s *stack) command(dir, name string, args ...string) *exec.Cmd {
	path := name
	if name == "pulumi" {
		path = filepath.Join(pulumiHome, "bin", "pulumi")
	}
	cmd := exec.Command(path, args...)
	cmd.Dir, cmd.Env = dir, s.env
	return cmd
}

// must fails the test with the command's output if the command failed.
func (s *stack) must(r result) result {
	s.t.Helper()
	if r.err != nil {
		s.failure = fmt.Sprintf("%s: %v\n%s", r.line, r.err, r.output)
	}
	require.NoError(s.t, r.err, "%s\n%s", r.line, r.output)
	return r
}

// repeatFailure logs the failed command again at the end of the story. Its first log is far above,
// among the logs of other stories.
func (s *stack) repeatFailure() {
	if lines := strings.Split(s.failure, "\n"); s.failure != "" {
		s.t.Logf("--- the command that failed\n%s\n%s", lines[0],
			strings.Join(lines[max(1, len(lines)-40):], "\n"))
	}
}

func (s *stack) pulumi(subcommand string, more ...string) result {
	args := append([]string{subcommand, "--stack", s.name, "--config-file", s.config,
		"--non-interactive"}, more...)
	if s.program != "" {
		return s.runIn(s.program, "pulumi", args...)
	}
	return s.run("pulumi", args...)
}

func (s *stack) up(more ...string) result {
	return s.pulumi("up", append([]string{"--yes", "--skip-preview", "--parallel", "32"},
		more...)...)
}

// health runs all gates of the story's configuration.
func (s *stack) health(more ...string) result {
	return s.run(strata, append([]string{"health", "--stack", s.name, "--config-file", s.config},
		more...)...)
}

func (s *stack) destroy() result { return s.pulumi("destroy", "--yes", "--skip-preview") }

// resources returns the names of the resources in the stack's state, without the stack itself.
func (s *stack) resources() []string {
	s.t.Helper()
	r := s.must(s.run("pulumi", "stack", "export", "--stack", s.name))
	var export struct {
		Deployment struct{ Resources []struct{ URN, Type string } }
	}
	require.NoError(s.t, json.Unmarshal([]byte(r.output), &export))
	names := []string{}
	for _, resource := range export.Deployment.Resources {
		if resource.Type != "pulumi:pulumi:Stack" {
			names = append(names, resource.URN[strings.LastIndex(resource.URN, "::")+2:])
		}
	}
	return names
}
