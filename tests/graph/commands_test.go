package graph_test

import (
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"strata/tests/pulumitest"
)

// The states of deployed stacks contain each command with its input and environment. A changed byte
// updates the resource in every stack, and a delete runs with the bytes in the state. Gates are
// omitted, because they may run again.
func TestCommandInputsMatchGoldenFile(t *testing.T) {
	forms := commandForms{}
	note := func(t *testing.T, stack string, sections map[string]any) {
		p := everything(t, newProgram(t, stack))
		for section, value := range sections {
			p.set(t, section, value)
		}
		forms.note(p, p.graph(t))
	}
	for _, stack := range stacks(t) {
		t.Run(stack, func(t *testing.T) { note(t, stack, nil) })
	}
	t.Run("what no committed stack has", func(t *testing.T) {
		note(t, "proxmox", map[string]any{"hosts": virtual(nil)})
		note(t, "local", map[string]any{
			"crds": map[string]any{"keep": false}, "k3s": map[string]any{"protect": true},
			"apps": map[string]any{"workloads": []any{map[string]any{
				"name": "shop", "image": "shop:1", "canary": map[string]any{"steps": []int{10, 50}},
				"routes": []any{map[string]any{}},
			}}},
		})
	})
	assert.Greater(t, len(forms), 25)
	golden(t, filepath.Join(root, "tests/graph/testdata/commands.golden"),
		strings.Join(slices.Sorted(maps.Values(forms)), "\n"))
}

// commandForms has the first command of each form, as text. Commands of one form run the same
// subcommands with the same variables and the same keys on stdin.
type commandForms map[string]string

func (f commandForms) note(p *program, g graph) {
	for _, name := range g.where(func(r pulumitest.Resource) bool {
		return r.Type == "command:local:Command" && r.Text("create") != pulumitest.GateCommand
	}) {
		r, head := g[name], ""
		for _, input := range []string{"create", "update", "delete"} {
			if text := r.Text(input); text != "" {
				head += input + ": " + text + "\n"
			}
		}
		environment, _ := r.Input("environment")
		if environment.IsObject() {
			head += fmt.Sprintln("environment:", environment.ObjectValue().StableKeys())
		}
		stdin := p.everywhere(r.Text("stdin"))
		form := head + fmt.Sprint(keysOf(stdin))
		if _, known := f[form]; !known {
			f[form] = head + "of " + p.stack + ", " + name + ": " + stdin + "\n"
		}
	}
}

// everywhere replaces the parts of a text that differ between runs of the tests: the project's
// folder, generated keys, the time, and scripts for hosts.
func (p *program) everywhere(text string) string {
	for _, one := range []struct{ pattern, stands string }{
		{regexp.QuoteMeta(p.project.Dir), "PROJECT"},
		{`ssh-ed25519 [A-Za-z0-9+/=]+`, "ssh-ed25519 KEY"},
		{`"generation":\d+`, `"generation":0`},
		// Scripts for hosts and their inputs may change, because they may run again.
		{`"(script|delete|stdin)":"(?:[^"\\]|\\.)*"`, `"$1":"TEXT"`},
	} {
		text = regexp.MustCompile(one.pattern).ReplaceAllString(text, one.stands)
	}
	return text
}

// keysOf returns the keys in a JSON text in their order, including nested ones.
func keysOf(text string) []string {
	found := []string{}
	for _, match := range regexp.MustCompile(`"([^"\\]+)":`).FindAllStringSubmatch(text, -1) {
		if !slices.Contains(found, match[1]) {
			found = append(found, match[1])
		}
	}
	return found
}
