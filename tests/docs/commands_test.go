package docs

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/config"
	"strata/tests/docs/shell"
)

// followed are the pages whose commands are checked one by one. Readers type all commands of these.
var followed = []string{"README.md", "docs/getting-started.md", "docs/team.md"}

// forges are the examples for CI, whose commands are checked as well.
var forges = []string{"examples/ci/github.yaml", "examples/ci/gitlab.yaml"}

// run has a file, of a test or of a script that CI runs, and the text by which it runs a command.
type run struct{ file, as string }

// here is the place of commands of the operating system:
// TestGettingStartedCommandsCreatePrivatePassphraseFile runs the blocks with them.
const here = "tests/docs/commands_test.go"

// runner is the place of commands in a step of a CI example.
const runner = "tests/docs/runner_test.go"

// ran maps the first words of each command to the place that runs it. That file must contain the
// command's flags as well. Flags of strata are checked by package cli against the command line.
var ran = map[string]run{
	"make up":             {"tests/bench/first/measure.go", `"make", "up"`},
	"make down":           {"tests/bench/first/measure.go", `"make", "down"`},
	"strata init":         {"cli/init_test.go", `"init", "dev"`},
	"strata fetch":        {"cli/fetch_test.go", `"fetch", "--project"`},
	"strata preflight":    {"tests/e2e/readme_test.go", `"strata init"`}, // its block has it too
	"strata health":       {"tests/e2e/stack_test.go", `{"health"`},
	"pulumi stack init":   {"tests/e2e/stack_test.go", `"stack", "init"`},
	"pulumi up":           {"tests/e2e/stack_test.go", `s.pulumi("up"`},
	"pulumi destroy":      {"tests/e2e/stack_test.go", `s.pulumi("destroy"`},
	"strata check":        {"cli/check_test.go", `"check", "pods"`},
	"strata kubeconfig":   {"tests/e2e/readme_test.go", `"strata init"`},
	"pulumi stack output": {"tests/e2e/stack_output_test.go", `"stack", "output"`},
	"pulumi login":        {"tests/state/team_test.go", `"login"`},
	"pulumi preview":      {"tests/state/team_test.go", `"preview"`},
	"pulumi cancel":       {"tests/state/team_test.go", `"cancel"`},
	"pulumi stack export": {"tests/state/team_test.go", `"stack", "export"`},
	"pulumi stack import": {"tests/state/team_test.go", `"stack", "import"`},
	"strata repair":       {"tests/state/team_test.go", `"repair"`},
	"kubectl":             {"tests/e2e/serial_test.go", `"kubectl", "--kubeconfig"`},
	"mkdir":               {here, "TestGettingStartedCommandsCreatePrivatePassphraseFile"},
	"install":             {here, "TestGettingStartedCommandsCreatePrivatePassphraseFile"},
	"head":                {here, "TestGettingStartedCommandsCreatePrivatePassphraseFile"},
	"base64":              {here, "TestGettingStartedCommandsCreatePrivatePassphraseFile"},
	"export":              {here, "TestGettingStartedCommandsCreatePrivatePassphraseFile"},
	"umask":               {runner, "TestKeyStepKeepsExistingKeyOfRunner"},
	"set":                 {runner, "TestKeyStepKeepsExistingKeyOfRunner"},
	"printenv":            {runner, "TestKeyStepKeepsExistingKeyOfRunner"},
}

// notRun has commands that no test runs, with the reasons.
var notRun = map[string]string{
	"eval":        "a shell's own",
	".":           "tests/e2e/readme_test.go runs the README's block",
	"curl":        "it downloads Pulumi's installer",
	"sh":          "it runs Pulumi's installer",
	"rm":          "it takes that away",
	"make build":  "tests/e2e/readme_test.go runs the README's block",
	"make health": "hack/stack runs strata health in the lab's environment, which every story does",
	"make deploy": "tests/e2e/workload_test.go rolls out the same application with the stack's file",
	"make load":   "it is tools/load, which tests/e2e/workload_test.go runs",
}

// TestReadmeStackBlocksAreComplete checks that a user can type each block literally in a fresh
// clone. It must build the program, select a state and create the stack before it uses them.
func TestReadmeStackBlocksAreComplete(t *testing.T) {
	blocks := regexp.MustCompile("(?ms)^```sh\n(.*?)^```").
		FindAllStringSubmatch(pages(t)["README.md"], -1)
	require.Len(t, blocks, 2, "own hosts, an existing cluster")
	for _, found := range blocks {
		commands, err := shell.Script(found[1])
		require.NoError(t, err)
		var keys []string
		for _, one := range commands {
			keys = append(keys, key(one))
		}
		require.Equal(t, []string{"make build", "strata init", ".", "pulumi stack init",
			"strata fetch", "strata preflight", "pulumi up", "strata health"}, keys[:8])
		assert.Equal(t, ".strata/bin/strata", commands[1].Words[0])
		assert.Contains(t, commands[1].Words, "--local-state")
		assert.Equal(t, []string{".", "~/.strata/env"}, commands[2].Words)
	}
}

// The examples for GitHub and GitLab run the same commands on the stack.
func TestBothCIExamplesRunSameCommands(t *testing.T) {
	var both [2][]string
	for i, example := range forges {
		commands, err := shell.Pipeline(files(t,
			func(path string) bool { return path == example })[example])
		require.NoError(t, err)
		for _, one := range commands {
			if name := one.Words[0]; name == "pulumi" || name == "make" ||
				strings.HasSuffix(name, "/strata") {
				both[i] = append(both[i], strings.Join(one.Words, " "))
			}
		}
		slices.Sort(both[i])
	}
	assert.Greater(t, len(both[0]), 4)
	assert.Equal(t, both[0], both[1])
}

// subcommands is the number of words that select a command, including the program.
var subcommands = map[string]int{"make": 2, "strata": 2, "pulumi": 2}

// key returns the words that select a command, for example "pulumi stack init".
func key(c shell.Command) string {
	c.Words = slices.Clone(c.Words)
	c.Words[0] = filepath.Base(c.Words[0])
	n := max(1, subcommands[c.Words[0]])
	if c.Words[0] == "pulumi" && len(c.Words) > 2 && c.Words[1] == "stack" {
		n++
	}
	return strings.Join(c.Words[:min(n, len(c.Words))], " ")
}

// flagsOf returns the flags of a command, without their values.
func flagsOf(c shell.Command) []string {
	var flags []string
	for _, word := range c.Words[1:] {
		if name, _, _ := strings.Cut(word, "="); strings.HasPrefix(name, "-") {
			flags = append(flags, name)
		}
	}
	return flags
}

// short maps short flags to long ones, which some tests use instead.
var short = map[string]string{"-s": "--stack"}

// No page that readers follow may have a command that was never run.
func TestCommandsOfFollowedPagesAreRun(t *testing.T) {
	all := pages(t)
	sources := map[string]string{}
	used := map[string]bool{}
	for _, page := range slices.Concat(followed, forges) {
		read, text := shell.Page, all[page]
		if slices.Contains(forges, page) {
			read = shell.Pipeline
			text = files(t, func(path string) bool { return path == page })[page]
		}
		commands, err := read(text)
		require.NoError(t, err, page)
		require.NotEmpty(t, commands, page)
		for _, one := range commands {
			used[key(one)] = true
			assert.NoError(t, isRun(sources, one), "%s: %s", page, one.Line)
		}
	}
	for _, one := range append(slices.Collect(maps.Keys(ran)), slices.Collect(maps.Keys(notRun))...) {
		assert.True(t, used[one], "no followed page has %s any more", one)
	}
}

// isRun returns an error if no test runs a command in the form of the page. sources caches the
// files that were read.
func isRun(sources map[string]string, c shell.Command) error {
	name := key(c)
	if _, excused := notRun[name]; excused {
		return nil
	}
	where, known := ran[name]
	if !known {
		return fmt.Errorf(
			"%q is neither among those that a test runs nor among those that none does; add it to ran, with where",
			name)
	}
	if sources[where.file] == "" {
		text, err := os.ReadFile(filepath.Join(root, where.file))
		if err != nil {
			return err
		}
		sources[where.file] = string(text)
	}
	if !strings.Contains(sources[where.file], where.as) {
		return fmt.Errorf("%s does not run it any more: %s", where.file, where.as)
	}
	if filepath.Base(c.Words[0]) == "strata" || filepath.Dir(where.file) == filepath.Dir(here) {
		return nil
	}
	for _, flag := range flagsOf(c) {
		if text := sources[where.file]; !strings.Contains(text, `"`+flag+`"`) &&
			(short[flag] == "" || !strings.Contains(text, `"`+short[flag]+`"`)) {
			return fmt.Errorf("%s does not run it with %s", where.file, flag)
		}
	}
	return nil
}

func TestCheckFindsUntestedCommands(t *testing.T) {
	sources := map[string]string{"tests/e2e/stack_test.go": `s.pulumi("up", "--stack")`}
	for line, want := range map[string]string{
		"pulumi up -s production": "", "make load RATE=50": "",
		"pulumi up --yes": "does not run it with --yes",
		"pulumi destroy":  "does not run it any more",
		"pulumi refresh":  `"pulumi refresh" is neither`, "reboot now": `"reboot" is neither`,
	} {
		commands, err := shell.Script(line)
		require.NoError(t, err)
		if err := isRun(sources, commands[0]); want == "" {
			assert.NoError(t, err, line)
		} else {
			assert.ErrorContains(t, err, want, line)
		}
	}
}

var (
	target   = regexp.MustCompile(`(?m)^([a-z][a-z-]*):`)
	variable = regexp.MustCompile(`(?m)^([A-Z]+) \?=|\$\(or \$\(([A-Z]+)\)|\$\$\{([A-Z]+):-`)
)

// Each make target on a page, and each of its variables, is in the Makefile.
func TestTargetsOnPagesAreInMakefile(t *testing.T) {
	makefile, err := os.ReadFile(filepath.Join(root, "Makefile"))
	require.NoError(t, err)
	known := map[string]bool{}
	for _, pattern := range []*regexp.Regexp{target, variable} {
		for _, found := range pattern.FindAllStringSubmatch(string(makefile), -1) {
			known[strings.Join(found[1:], "")] = true
		}
	}
	require.True(t, known["up"] && known["STACK"] && known["VERSION"] && known["KILLS"])
	checked := 0
	for page, text := range pages(t) {
		if strings.HasPrefix(page, "docs/adr/") || strings.HasPrefix(page, "tests/lab/tools/") {
			continue
		}
		commands, err := shell.Page(text)
		require.NoError(t, err, page)
		for _, one := range commands {
			if one.Words[0] != "make" {
				continue
			}
			for _, word := range one.Words[1:] {
				name, _, _ := strings.Cut(strings.TrimPrefix(word, "["), "=")
				assert.True(t, known[name], "%s: the Makefile has no %s: %s", page, name, one.Line)
				checked++
			}
		}
	}
	assert.Greater(t, checked, 10)
}

// block returns the first block of a page's language that contains a text.
func block(t *testing.T, page, language, text string) string {
	t.Helper()
	for _, found := range regexp.MustCompile("(?ms)^```"+language+"\n(.*?)^```").FindAllStringSubmatch(page, -1) {
		if strings.Contains(found[1], text) {
			return found[1]
		}
	}
	require.Fail(t, "no block of "+language+" has "+text)
	return ""
}

// The page's commands before Pulumi run on the user's machine. They must leave a passphrase file
// that only its owner can read.
func TestGettingStartedCommandsCreatePrivatePassphraseFile(t *testing.T) {
	page := pages(t)["docs/getting-started.md"]
	home, bin := t.TempDir(), t.TempDir()
	require.NoError(t,
		os.WriteFile(filepath.Join(bin, "pulumi"),
			[]byte("#!/bin/sh\necho \"$PULUMI_BACKEND_URL $*\" >> \"$HOME/calls\"\n"), 0o700))
	script := "set -eu\n" + block(t, page, "sh", "mkdir -p ~/.strata/state")
	command := exec.Command("sh", "-c", script)
	command.Dir, command.Env = home, []string{"HOME=" + home,
		"PATH=" + bin + ":" + os.Getenv("PATH")}
	output, err := command.CombinedOutput()
	require.NoError(t, err, string(output))
	info, err := os.Stat(filepath.Join(home, ".strata/passphrase"))
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	assert.Positive(t, info.Size())
	calls, err := os.ReadFile(filepath.Join(home, "calls"))
	require.NoError(t, err)
	assert.Contains(t, string(calls), "file://"+home+"/.strata/state?metadata=skip stack init production\n")
	assert.DirExists(t, filepath.Join(home, ".strata/state"))
}

// A complete stack file on a page is valid.
func TestStackFilesOnFollowedPagesAreValid(t *testing.T) {
	checked := 0
	for _, page := range followed {
		for _, found := range regexp.MustCompile("(?ms)^```yaml\n(# yaml-language-server.*?)^```").
			FindAllStringSubmatch(pages(t)[page], -1) {
			_, err := config.OfText("mine", page, []byte(found[1]))
			require.NoError(t, err, page)
			checked++
		}
	}
	assert.Positive(t, checked)
}
