package graph_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	texttemplate "text/template"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/config"
	"strata/health/kinds"
	"strata/tests/configdocs"
)

// TestEachLayerPageMatchesProgram checks or writes docs/layers/NAME.md. The sentences come from
// layers/NAME.md, and the rest from the program with the page's example. Each layer must be on a
// page.
func TestEachLayerPageMatchesProgram(t *testing.T) {
	templates, err := filepath.Glob(filepath.Join(root, "tests/graph/layers/*.md"))
	require.NoError(t, err)
	require.NotEmpty(t, templates)
	// These layers have hand-written pages: docs/workloads.md and docs/operations.md.
	described := map[string]bool{"workloads": true, "workload-shop": true, "k3s-teardown": true}
	for _, file := range templates {
		name := filepath.Base(file)
		t.Run(strings.TrimSuffix(name, ".md"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			page := newLayerPage(t, string(text))
			page.described = described
			parsed, err := texttemplate.New(name).Funcs(page.functions()).Parse(string(text))
			require.NoError(t, err)
			var out strings.Builder
			require.NoError(t, parsed.Execute(&out, nil))
			golden(t, filepath.Join(root, "docs/layers", name), out.String())
		})
	}
	for name, layer := range everything(t, newProgram(t, "staging")).graph(t) {
		if layer.Parent == "" && strings.HasPrefix(layer.Type, "strata:") {
			assert.True(t, described[name], "no page has the gates of layer %s", name)
		}
	}
}

// layerPage has the template functions of a layer's page.
type layerPage struct {
	t       *testing.T
	example string
	graph   graph
	// described are the layers whose gates are on a page.
	described map[string]bool
}

var exampleBlock = regexp.MustCompile("(?ms)^```yaml\n(.*?)^```")

// newLayerPage runs stack staging with the sections of the template's example.
func newLayerPage(t *testing.T, template string) *layerPage {
	t.Helper()
	block := exampleBlock.FindStringSubmatch(template)
	require.NotNil(t, block, "the page has no example")
	var file struct{ Config map[string]any }
	require.NoError(t, yaml.Unmarshal([]byte(block[1]), &file))
	p := newProgram(t, "staging")
	for key, value := range file.Config {
		p.set(t, strings.TrimPrefix(key, config.Namespace+":"), value)
	}
	return &layerPage{t: t, example: block[1], graph: p.graph(t)}
}

func (l *layerPage) functions() texttemplate.FuncMap {
	return texttemplate.FuncMap{
		"charts": l.charts, "objects": l.objects, "gates": l.gates, "keys": l.keys,
		"faults": l.faults,
	}
}

// charts returns a list of artifacts with their pinned versions.
func (l *layerPage) charts(names ...string) string {
	var lines []string
	for _, pin := range config.Pins() {
		if slices.Contains(names, pin.Name) && pin.Arch != "arm64" {
			line := fmt.Sprintf("- `%s` %s, from\n  <%s>", pin.Name, pin.Version, pin.URL)
			if pin.Key != "" {
				line += fmt.Sprintf(";\n  another version: `%s`", pin.Key)
			}
			lines = append(lines, line)
		}
	}
	require.GreaterOrEqual(l.t, len(lines), len(names))
	return strings.Join(lines, "\n")
}

// objects returns a list of the cluster's objects, without those of charts.
func (l *layerPage) objects(layers ...string) string {
	var lines []string
	for _, name := range l.resourcesOf(layers) {
		kind, isObject := strings.CutPrefix(l.graph[name].Type, "kubernetes:")
		if !isObject || strings.HasPrefix(kind, "helm.sh/") {
			continue
		}
		line := fmt.Sprintf("- %s `%s`", kind[strings.LastIndex(kind, ":")+1:], name)
		if strings.HasSuffix(kind, ":NetworkPolicy") {
			line += l.admits(name)
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

// admits returns the traffic that a NetworkPolicy allows.
func (l *layerPage) admits(policy string) string {
	input, _ := l.graph[policy].Input("spec")
	text, err := json.Marshal(input.Mappable())
	require.NoError(l.t, err)
	var spec networkingv1.NetworkPolicySpec
	require.NoError(l.t, json.Unmarshal(text, &spec))
	var admits []string
	for _, rule := range spec.Ingress {
		var ports []string
		for _, port := range rule.Ports {
			ports = append(ports, fmt.Sprintf("%d/%s", port.Port.IntValue(), *port.Protocol))
		}
		from := "everyone"
		if len(rule.From) > 0 {
			from = "Pods with `" + metav1.FormatLabelSelector(rule.From[0].PodSelector) + "`"
			if namespaces := rule.From[0].NamespaceSelector; namespaces != nil {
				from = "namespaces with `" + metav1.FormatLabelSelector(namespaces) + "`"
			}
		}
		admits = append(admits, cmp.Or(strings.Join(ports, ", "), "all ports")+" from "+from)
	}
	return ": " + strings.Join(admits, "; ")
}

// furtherNode matches resources of any server or agent except the first one.
var furtherNode = regexp.MustCompile(`-(server|agent)-[2-9]`)

// resourcesOf returns the resources of layers, each after its dependencies.
func (l *layerPage) resourcesOf(layers []string) []string {
	var names []string
	for _, name := range l.graph.names() {
		if slices.Contains(layers, l.graph.layer(name)) && !furtherNode.MatchString(name) {
			names = append(names, name)
		}
	}
	for _, layer := range layers {
		require.Contains(l.t, l.graph, layer)
	}
	slices.SortStableFunc(names,
		func(a, b string) int { return cmp.Compare(l.graph.needs(a), l.graph.needs(b)) })
	return names
}

// gates returns a table of the gates of layers.
func (l *layerPage) gates(layers ...string) string {
	rows := []string{"| gate | asks | at most | after |", "| --- | --- | --- | --- |"}
	for _, layer := range layers {
		l.described[layer] = true
	}
	for _, name := range l.resourcesOf(layers) {
		if !l.graph.isGate(name) {
			continue
		}
		spec, err := kinds.Parse([]byte(l.graph[name].Text("stdin")))
		require.NoError(l.t, err, name)
		rows = append(rows, fmt.Sprintf("| `%s` | %s | %s, `%s` | %s |", name,
			asks(l.t, string(spec.Kind())),
			spec.Timeout.Round(time.Second), spec.TimeoutKey, l.before(name)))
	}
	return strings.Join(rows, "\n")
}

// asks returns the condition that a kind of gate waits for, from its package's comment.
func asks(t *testing.T, kind string) string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, "health", kind, "doc.go"),
		nil, parser.ParseComments)
	require.NoError(t, err)
	doc := strings.Join(strings.Fields(file.Doc.Text()), " ")
	_, text, found := strings.Cut(doc, " gates ")
	require.True(t, found, doc)
	sentence, _, _ := strings.Cut(text, ". ")
	return strings.TrimSuffix(sentence, ".")
}

// helpers matches resources that gates depend on only for their connections.
var helpers = regexp.MustCompile(`-(hostkey|credential|attempt|password|token)$|^k3s-(cluster|teardown)`)

// before returns the gates and resources for which a gate waits.
func (l *layerPage) before(name string) string {
	var needs []string
	for _, need := range l.graph[name].Dependencies {
		if !helpers.MatchString(need) {
			needs = append(needs, "`"+need+"`")
		}
	}
	return strings.Join(needs, ", ")
}

// keys returns a table of the configuration keys in sections.
func (l *layerPage) keys(sections ...string) string {
	fields, err := configdocs.Fields(filepath.Join(root, "config"))
	require.NoError(l.t, err)
	rows := []string{"| key | type | meaning |", "| --- | --- | --- |"}
	for _, section := range sections {
		top, _, _ := strings.Cut(section, ".")
		assert.Contains(l.t, l.example, config.Namespace+":"+top+":", "the example has no such key")
	}
	for _, field := range fields {
		key := strings.TrimPrefix(field.Key, config.Namespace+":")
		if slices.ContainsFunc(sections,
			func(section string) bool { return strings.HasPrefix(key, section+".") }) {
			rows = append(rows, fmt.Sprintf("| `%s` | %s | %s |", key, field.Type,
				strings.ReplaceAll(field.Doc, "|", `\|`)))
		}
	}
	return strings.Join(rows, "\n")
}

// faults returns the rows of docs/faults.md whose gate belongs to one of the layers.
func (l *layerPage) faults(layers ...string) string {
	page, err := os.ReadFile(filepath.Join(root, "docs/faults.md"))
	require.NoError(l.t, err)
	rows := []string{"| fault | gate | what is said |", "| --- | --- | --- |"}
	own := l.resourcesOf(layers)
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(line, " | ")
		if len(cells) != 5 {
			continue
		}
		if _, gate, isRow := strings.Cut(cells[1], ", "); isRow &&
			slices.Contains(own, strings.Trim(gate, "`")) {
			rows = append(rows, fmt.Sprintf("%s | %s | %s |", cells[0], gate, cells[2]))
		}
	}
	require.Greater(l.t, len(rows), 2, layers)
	return strings.Join(rows, "\n")
}
