package manifest_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/text/encoding/unicode"

	"strata/artifacts/manifest"
)

// configMap returns a ConfigMap as a YAML document.
func configMap(name string) string {
	return "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: " + name + "}\n"
}

func asJSON(name string) string {
	return `{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "` + name + `"}}`
}

func utf16(t *testing.T, text string) string {
	t.Helper()
	encoded, err := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().String(text)
	require.NoError(t, err)
	return encoded
}

// titles returns the titles of the objects in a text.
func titles(t *testing.T, text string) string {
	t.Helper()
	objects, err := manifest.Parse("mine.yaml", []byte(text))
	require.NoError(t, err)
	return join(objects)
}

func join(objects []manifest.Manifest) string {
	var all []string
	for _, object := range objects {
		all = append(all, object.Title())
	}
	return strings.Join(all, ", ")
}

func TestParseReadsManifestsLikeKubectl(t *testing.T) {
	const both = "ConfigMap a, ConfigMap b"
	for name, test := range map[string]struct{ text, want string }{
		"documents": {"# mine\n---\n" + configMap("a") + "---\n# nothing\n---\n" +
			configMap("b"), both},
		"documents with end marks":   {configMap("a") + "...\n---\n" + configMap("b") + "...\n", both},
		"a separator with a comment": {configMap("a") + "---# the second\n" + configMap("b"), both},
		"JSON back to back":          {asJSON("a") + asJSON("b"), both},
		"JSON in lines":              {asJSON("a") + "\n" + asJSON("b") + "\n", both},
		"JSON, then YAML":            {asJSON("a") + "\n---\n" + configMap("b"), both},
		"JSON after 5000 lines":      {strings.Repeat("\n", 5000) + asJSON("a"), "ConfigMap a"},
		"carriage returns": {strings.ReplaceAll(configMap("a")+"---\n"+configMap("b"), "\n",
			"\r\n"), both},
		"byte order mark of UTF-8": {"\ufeff" + configMap("a"), "ConfigMap a"},
		"UTF-16":                   {utf16(t, configMap("a")+"---\n"+configMap("b")), both},
		"a list": {
			"apiVersion: v1\nkind: List\nitems: [" + asJSON("a") + ", " + asJSON("b") +
				"]\n", both},
		"a list of one kind": {
			"apiVersion: v1\nkind: ConfigMapList\nitems: [{metadata: {name: a}}, {metadata: {name: b}}]\n", both},
		"merge key with an overridden value": {
			"apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers:\n  - &base " +
				"{name: a, image: nginx}\n  - {<<: *base, name: b}\n", "Pod a"},
		"two merges": {
			"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {<<: {a: x}, <<: {b: y}}\n",
			"ConfigMap a"},
		"keys that look alike": {configMap("a") + "data: {on: a, \"on\": b, 1: c, \"01\": d, 1.5: e, o: f}\n",
			"ConfigMap a"},
		"replacement character in the text": {configMap("a") + "data: {x: \ufffd}\n", "ConfigMap a"},
		"surrogates in JSON": {
			strings.Replace(asJSON("a"), `"name"`, `"labels": {"a": "\ud83d\ude00"}, "name"`, 1),
			"ConfigMap a"},
		"generateName": {
			"apiVersion: batch/v1\nkind: Job\nmetadata: {generateName: a-, namespace: b}\n",
			"Job b/a-"},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, test.want, titles(t, test.text)) })
	}
	merged, err := manifest.Parse("mine.yaml",
		[]byte("apiVersion: v1\nkind: X\nspec: [&base {name: a, image: nginx}, {<<: *base, name: b}]\n"))
	require.NoError(t, err)
	assert.Equal(t, map[string]any{"name": "b", "image": "nginx"},
		merged[0].Object["spec"].([]any)[1])
}

// ignoredContent has files that kubectl refuses, or of which it ignores or changes content, and the
// error for each.
var ignoredContent = map[string]struct{ text, want string }{
	"document without a separator": {configMap("a") + "...\n" + configMap("b"),
		"line 4: did not find expected <document start>; begin each document with a line that is ---"},
	"carriage returns as line ends": {
		strings.ReplaceAll(configMap("a")+"---\n"+configMap("b"), "\n", "\r"),
		"line 4: kubectl would not read this document"},
	"repeated key": {configMap("a") + "data: {x: y}\ndata: {x: z}\n",
		`line 5: kubectl reads this key as "data", like the key in line 4; remove one`},
	"a second JSON object that the reader takes for YAML": {
		strings.Repeat("\n", 5000) + asJSON("a") + asJSON("b"),
		"did not find expected <document start>; begin each document with a line that is ---"},
	"on and yes, which are true in YAML 1.1": {configMap("a") + "data: {on: x, yes: y}\n",
		`line 4: kubectl reads this key as "true", like the key in line 4; remove one`},
	"boolean key and string key": {configMap("a") + "data:\n  yes: x\n  \"true\": y\n",
		`line 6: kubectl reads this key as "true", like the key in line 5; remove one`},
	"a number in two forms": {configMap("a") + "data: {0x10: x, 16: y}\n",
		`line 4: kubectl reads this key as "16"`},
	"an octal number":    {configMap("a") + "data: {010: x, 8: y}\n", `reads this key as "8"`},
	"a whole number":     {configMap("a") + "data: {1.0: x, 1: y}\n", `reads this key as "1"`},
	"a fraction":         {configMap("a") + "data: {1.10: x, 1.1: y}\n", `reads this key as "1.1"`},
	"an alias":           {configMap("a") + "data: {&k x: y, *k : z}\n", `reads this key as "x"`},
	"a key in a list":    {configMap("a") + "x: [{y: {on: 1, true: 2}}]\n", `reads this key as "true"`},
	"mapping as a key":   {configMap("a") + "data: {{hunter2: a}: b}\n", "line 4: kubectl cannot read this key"},
	"a key that is null": {configMap("a") + "data: {~: hunter2}\n", "line 4: kubectl cannot read this key"},
	"binary data that is no text": {configMap("a") + "data: {a: !!binary /////w==}\n",
		"document 1: has bytes that are not UTF-8, which kubectl would replace"},
	"half a surrogate pair in JSON": {
		strings.Replace(asJSON("a"), `"name"`, `"labels": {"a": "\ud83d"}, "name"`, 1),
		"document 1: has bytes that are not UTF-8"},
	"a document on the separator's line": {
		configMap("a") + "--- {apiVersion: v1, kind: Secret, metadata: {name: b}, stringData: {a: hunter2}}\n",
		"line 4: kubectl reads nothing but a comment behind ---; begin the document in the next line"},
	"value that contradicts its tag": {configMap("a") + "data: {a: !!int hunter2}\n",
		"kubectl cannot read it; see kubectl label --local a=b --filename FILE"},
	"a password that looks like an alias": {configMap("a") + "data: {a: *hunter2}\n",
		"refers to an unknown anchor; quote texts that begin with *"},
	"a version with a space": {"apiVersion: 'v1 '\nkind: ConfigMap\nmetadata: {name: a}\n",
		`document 1: apiVersion "v1 ": `},
	"a group with a space": {"apiVersion: 'app s/v1'\nkind: ConfigMap\nmetadata: {name: a}\n",
		`document 1: apiVersion "app s/v1": `},
	"items that are no objects": {"apiVersion: v1\nkind: List\nitems: [null, hunter2]\n",
		"document 1: items[0]: is no object\nmine.yaml: document 1: items[1]: is no object"},
	"a key twice in JSON": {
		asJSON("a") + strings.Replace(asJSON("b"), `"name"`, `"name": "c", "name"`, 1),
		`document 2: duplicate field "metadata.name"`},
	"an object with items": {configMap("a") + "items: []\n",
		"document 1: ConfigMap has the key items"},
	"boolean namespace": {configMap("a, namespace: no"),
		"document 1: json: cannot unmarshal bool into Go struct field " +
			"ObjectMeta.metadata.namespace of type string"},
	"numeric namespace": {configMap("a, namespace: 2024"),
		"cannot unmarshal number into Go struct field ObjectMeta.metadata.namespace of type string"},
	"a name that is a number": {configMap("123"),
		"cannot unmarshal number into Go struct field ObjectMeta.metadata.name of type string"},
	"boolean namespace in a list": {
		"apiVersion: v1\nkind: List\nitems: [{apiVersion: v1, kind: ConfigMap, metadata: " +
			"{name: a, namespace: no}}]\n",
		"document 1: items[0]: json: cannot unmarshal bool into Go struct field " +
			"ObjectMeta.metadata.namespace of type string"},
	"a list of lists": {
		"apiVersion: v1\nkind: List\nitems: [{apiVersion: v1, kind: List, items: [" +
			asJSON("a") +
			"]}]\n", "is not a list"},
	"no UTF-8": {configMap("a") + "data: {city: K\xf6ln}\n", "is neither UTF-8 nor UTF-16"},
	"no kind": {"apiVersion: v1\nstringData: {a: hunter2}\n",
		"document 1: expected apiVersion and kind"},
	"no kind in a list": {
		"apiVersion: v1\nkind: List\nitems: [{apiVersion: v1, stringData: {a: hunter2}}]\n",
		"document 1: items[0]: expected apiVersion and kind"},
	"invalid kind": {"apiVersion: v1\nkind: a:b\n", `kind "a:b"`},
	"invalid apiVersion": {"apiVersion: a/b/c\nkind: a\n",
		"unexpected GroupVersion string: a/b/c"},
	"only a comment": {"# nothing\n", "holds no object"},
	"an empty list":  {"apiVersion: v1\nkind: List\nitems: []\n", "holds no object"},
	"text":           {"hello", "document 1: is no object"},
	"broken YAML": {configMap("a") + "---\ninvalid: yaml: :\n",
		"line 5: mapping values are not allowed in this context"},
	"broken JSON": {asJSON("a") + "{", "did not find expected <document start>"},
}

func TestParseRefusesContentThatKubectlWouldNotReadAsWritten(t *testing.T) {
	for name, test := range ignoredContent {
		t.Run(name, func(t *testing.T) {
			_, err := manifest.Parse("mine.yaml", []byte(test.text))
			require.ErrorContains(t, err, test.want)
			for line := range strings.Lines(err.Error()) {
				assert.True(t, strings.HasPrefix(line, "mine.yaml: ") ||
					strings.HasPrefix(line, "  line"), line)
			}
			assert.NotContains(t, err.Error(), "hunter2")
		})
	}
}

func TestParseReturnsOtherObjectsBesideRefusedOne(t *testing.T) {
	const whole = "ConfigMap a, ConfigMap b"
	for name, test := range map[string]struct{ text, want string }{
		"a label that is a number": {"metadata: {name: c, labels: {v: 1.0}}\n", whole},
		"an object with items":     {"metadata: {name: c}\nitems: []\n", whole},
		"repeated key of metadata": {"metadata: {name: c, name: d}\n",
			"ConfigMap a, ConfigMap d, ConfigMap b"},
		"no kind":     {"stringData: {a: hunter2}\n", whole},
		"text":        {"hello", whole},
		"broken YAML": {"invalid: yaml: :\n", "ConfigMap a"},
	} {
		t.Run(name, func(t *testing.T) {
			text := configMap("a") + "---\n"
			if strings.HasPrefix(test.text, "metadata") {
				text += "apiVersion: v1\nkind: ConfigMap\n"
			}
			objects, err := manifest.Parse("mine.yaml",
				[]byte(text+test.text+"\n---\n"+configMap("b")))
			require.Error(t, err)
			assert.NotContains(t, err.Error(), "hunter2")
			assert.Equal(t, test.want, join(objects))
		})
	}
}
