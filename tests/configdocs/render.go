package configdocs

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"strata/config"
)

const head = `# Configuration

<!-- Generated from package config by ` + "`go generate ./config`" + `; edit the doc comments there. -->

A stack's configuration is ` + "`Pulumi.<stack>.yaml`" + `, one object per section. A key that is not set has
its default; a key that does not exist is an error that suggests the right one. Every mistake is
reported at once, before anything is changed.

Strata's commands read the file by Pulumi's own loader, with the defaults in ` + "`Pulumi.yaml`" + `, and so
see what the program sees: ` + "`NO`" + ` is a text, and a section may be a text of JSON. A key that resembles
a section's, as ` + "`stata:trafik`" + `, a path in a key's name (set without ` + "`--path`" + `) and a key in two forms,
as ` + "`traefik`" + ` and ` + "`strata:traefik`" + `, are refused, and so are the parts of the file that Pulumi
ignores: keys beside ` + "`config`" + ` and a second document. A program of one's own may call its own
keys like sections. The limits: commands do not decrypt, so no rule is asked about an encrypted
text, and one that they need, as a host's role or a path, is refused; they refuse a file with
` + "`environment`" + `, which only Pulumi resolves; a program sees two forms of a key in the stack's own
file only, not in that of ` + "`--config-file`" + `. Pulumi makes ` + "`2001-01-01 00:00:00 +0000 UTC`" + ` of a
date: write it in quotes.

Editors whose YAML support is yaml-language-server complete and check a stack file that begins with
this line:

` + "```yaml\n" + Modeline + "```\n"

const variables = `## Variables

| Variable | Overrides |
| --- | --- |
| ` + "`" + config.ArtifactsVariable + "` | `strata:artifacts.source`" + ` |
| ` + "`" + config.MachineImageVariable + "` | `strata:artifacts.machineImage`" + ` |
| ` + "`" + config.MirrorVariable + "` | `strata:artifacts.mirror`" + ` |
| ` + "`" + config.SkipFinalWaitVariable + "` | `strata:apps.validate`" + ` |
| ` + "`" + config.Wave2TimeoutVariable + "` | `strata:timeouts.apply`" + ` |
`

// Render returns the whole text of docs/config.md.
func Render(configDir string) (string, error) {
	fields, err := Fields(configDir)
	if err != nil {
		return "", err
	}
	var page strings.Builder
	page.WriteString(head)
	for _, field := range fields {
		if !strings.Contains(field.Key, ".") {
			fmt.Fprintf(&page, "\n## %s\n\n%s\n", field.Key, field.Doc)
			if field.Type == "object" {
				page.WriteString("\n| Key | Type | Meaning |\n| --- | --- | --- |\n")
			}
			continue
		}
		_, short, _ := strings.Cut(field.Key, ":")
		fmt.Fprintf(&page, "| `%s` | %s | %s |\n", short, cell(field.Type), cell(field.Doc))
	}
	page.WriteString("\n" + ownedArgs() + "\n" + ownedValues() + "\n" + variables + "\n" + pins())
	return page.String(), nil
}

func ownedArgs() string {
	var text strings.Builder
	text.WriteString("## K3s settings that belong to Strata\n\n" +
		"`k3s.serverArgs` and `k3s.agentArgs` take every key of K3s's config.yaml but these, by any of its " +
		"names and with a final `+` (config/k3s_flags.txt has the names). " +
		"An option that sets the same, as `kubelet-arg: [node-ip=…]`, is refused too.\n\n" +
		"| Key | Instead |\n| --- | --- |\n")
	owned := config.OwnedArgs()
	for _, key := range slices.Sorted(maps.Keys(owned)) {
		fmt.Fprintf(&text, "| `%s` | %s |\n", key, owned[key])
	}
	return text.String()
}

func ownedValues() string {
	var text strings.Builder
	text.WriteString("## Values of charts that belong to Strata\n\n" +
		"`values` of a layer takes every value of its chart but these and what lies below them ([docs/values.md](values.md)).\n\n" +
		"| Key | Why | Instead |\n| --- | --- | --- |\n")
	owned := config.OwnedValues()
	for _, key := range slices.Sorted(maps.Keys(owned)) {
		for _, value := range owned[key] {
			fmt.Fprintf(&text, "| `%s.%s` | %s | %s |\n", key, value.Path, cell(value.Why),
				cell(value.Instead))
		}
	}
	return text.String()
}

func pins() string {
	var text strings.Builder
	text.WriteString("## Pinned versions\n\n" +
		"What `strata fetch` downloads from upstream. A bundle brings its own versions, which win unless a key sets one.\n\n" +
		"| Artifact | Version | For | Key | Source |\n| --- | --- | --- | --- | --- |\n")
	for _, pin := range config.Pins() {
		arch := pin.Arch
		if arch == "" {
			arch = "all"
		}
		fmt.Fprintf(&text, "| %s | %s | %s | `%s` | <%s> |\n", pin.Name, pin.Version, arch, pin.Key,
			pin.URL)
	}
	return text.String()
}

// cell escapes characters that would end a table's cell.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }
