package components

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/cli-runtime/pkg/resource"
	"k8s.io/client-go/kubernetes/scheme"

	"strata/artifacts/manifest"
	"strata/cli/podcheck"
)

// reasons matches the errors for which Strata may refuse a file that kubectl accepts.
var reasons = regexp.MustCompile(strings.Join([]string{
	// kubectl reads a part of the text only.
	"begin each document with a line that is ---$", "kubectl would not read this document",
	"kubectl reads this key as", "duplicate field", "has the key items",
	"is neither UTF-8 nor UTF-16", "has bytes that are not UTF-8",
	// YAML has no surrogate pairs and no control characters, and kubectl reads a first document in
	// JSON as JSON.
	"found invalid Unicode character escape code", "yaml: control characters are not allowed",
	// The API server refuses the object, or each update would create another object.
	"is no object", "expected apiVersion and kind", `: kind ".*": `, `apiVersion( ".*")?: `,
	"cannot unmarshal .* into Go struct field", "expected metadata.name",
	"metadata.generateName", "is in fuzz.yaml already", "encrypted with SOPS",
	": expected (string|numeric|boolean|list|map|any scalar)", "field not declared in schema",
	"associative list ", "duplicate entries for key", ": schema error: ", "has no such kind$",
	": cannot be decoded: ", `: metadata\.\w+.*: (Invalid value|Forbidden|Required value|Too long): `,
	// Pulumi would change the object.
	"null would not reach the cluster", "which Pulumi may round", "has the Pulumi name of another",
}, "|"))

// FuzzManifests compares ReadManifests, and the parser of `strata check pods`, with kubectl's
// reader. Either each object reaches Pulumi as it is in the file, or the file is refused for one of
// the reasons above. An object may only lose the annotations and metadata that Prepare removes, and
// nulls that Kubernetes reads like a missing key.
//
// `make fuzz` runs it. Without -fuzzminimizetime 1s each new input would cost a minute.
func FuzzManifests(f *testing.F) {
	f.Fuzz(func(t *testing.T, text []byte) {
		dir := t.TempDir()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "fuzz.yaml"), text, 0o600))
		objects, err := readFiles(dir, "fuzz.yaml")
		parsed, unread := manifest.Parse("fuzz.yaml", text)
		infos, refused := resource.NewLocalBuilder().Unstructured().
			FilenameParam(false, &resource.FilenameOptions{
				Filenames: []string{filepath.Join(dir, "fuzz.yaml")}}).
			Flatten().Do().Infos()
		if refused != nil || len(infos) == 0 {
			require.ErrorContains(t, unread, "fuzz.yaml: ")
			require.ErrorContains(t, err, "strata:apps.manifests[0]: fuzz.yaml: ")
			return
		}
		if !refusesUnread(text, unread) {
			requireReasons(t, unread)
			requireReasons(t, err)
		}
		if unread != nil {
			require.Error(t, err)
			return
		}
		report := podcheck.Check(parsed, podcheck.Options{})
		require.Len(t, parsed, len(infos))
		for i, info := range infos {
			require.Equal(t, asJSON(t, objectOf(info)), asJSON(t, parsed[i].Object))
		}
		requireEachCounted(t, parsed, report)
		if err == nil {
			requireSent(t, objects, infos)
		}
	})
}

// unseenEnd matches document ends that kubectl's reader does not recognize. To kubectl, only a line
// that begins with --- is a separator, and only a newline ends a line.
var unseenEnd = regexp.MustCompile(`(?:^|[\n\r\x{85}\x{2028}\x{2029}])\.\.\.(?:\s|$)|` +
	`[\r\x{85}\x{2028}\x{2029}]---`)

var (
	separatorLine = regexp.MustCompile(`(?m)^---.*\n?`)
	syntaxError   = regexp.MustCompile(`fuzz\.yaml: yaml: (?:line (\d+): )?`)
)

// refusesUnread reports whether err may refer to text that kubectl never reads. Between two
// separators, kubectl decodes one document and drops the text after it, even if that text is not
// YAML. For an error in the document itself, the result is false.
func refusesUnread(text []byte, err error) bool {
	if err == nil {
		return false
	}
	found := syntaxError.FindStringSubmatch(err.Error())
	if found == nil {
		return false
	}
	part := text // between the separators around the line of the error
	if line, err := strconv.Atoi(found[1]); err == nil {
		lines := bytes.SplitAfter(text, []byte("\n"))
		before := bytes.Join(lines[:min(line, len(lines))], nil)
		part = text[len(before):]
		if next := separatorLine.FindIndex(part); next != nil {
			part = part[:next[0]]
		}
		part = append(before, part...)
	}
	if all := separatorLine.FindAllIndex(part, -1); all != nil {
		part = part[all[len(all)-1][1]:]
	}
	decoder := yaml.NewDecoder(bytes.NewReader(part))
	var document yaml.Node
	return unseenEnd.Match(part) ||
		decoder.Decode(&document) == nil && !errors.Is(decoder.Decode(&document), io.EOF)
}

// requireReasons checks that each line of an error matches reasons.
func requireReasons(t *testing.T, err error) {
	t.Helper()
	if err == nil {
		return
	}
	for line := range strings.Lines(err.Error()) {
		require.Regexp(t, reasons, strings.TrimSuffix(strings.TrimSpace(line), "; nothing was changed"))
	}
}

// requireEachCounted checks that a report lists every object: with a Pod, without a Pod, or
// unreadable.
func requireEachCounted(t *testing.T, objects []manifest.Manifest, report podcheck.Report) {
	t.Helper()
	without := 0
	for _, n := range report.Without {
		without += n
	}
	all := strings.Join(report.Pods, "\n")
	for _, err := range report.Unread {
		all += "\n" + err.Error()
	}
	with := 0
	for _, o := range objects {
		if strings.Contains(all, o.File+": "+o.Title()+": ") {
			with++
		}
	}
	require.GreaterOrEqual(t, with+without, len(objects))
}

func objectOf(info *resource.Info) map[string]any {
	return info.Object.(*unstructured.Unstructured).Object
}

// requireSent checks that Pulumi sends the objects as kubectl would.
func requireSent(t *testing.T, objects []Manifest, infos []*resource.Info) {
	t.Helper()
	require.Len(t, objects, len(infos))
	resources := registered(t, objects)
	require.Len(t, resources, len(infos))
	for i, info := range infos {
		want := objectOf(info)
		for _, key := range []string{"generateName", "managedFields", "resourceVersion", "uid"} {
			unstructured.RemoveNestedField(want, "metadata", key)
		}
		removeCopies(want)
		if objects[i].Kind() == manifest.Namespace {
			want = Manifest{Manifest: objects[i].Manifest}.withoutWait().Object
		}
		sent, err := resources[objects[i].resource("manifests")].Inputs()
		require.NoError(t, err)
		requireNoNullLost(t, want, sent)
		require.Equal(t, withoutNulls(asJSON(t, want)), withoutNulls(asJSON(t, sent)))
	}
}

// removeCopies removes the annotations in which tools store a copy of the object.
func removeCopies(value any) {
	switch value := value.(type) {
	case map[string]any:
		metadata, _ := value["metadata"].(map[string]any)
		for _, key := range []string{corev1.LastAppliedConfigAnnotation, "kapp.k14s.io/original",
			"objectset.rio.cattle.io/applied", "banzaicloud.com/last-applied"} {
			unstructured.RemoveNestedField(metadata, "annotations", key)
		}
		for _, below := range value {
			removeCopies(below)
		}
	case []any:
		for _, item := range value {
			removeCopies(item)
		}
	}
}

// requireNoNullLost checks that Kubernetes decodes both objects to the same value. A custom
// resource may lose nulls only in its metadata. CustomResourceDefinitions and APIServices are not
// checked, because their Go types are not compiled in.
func requireNoNullLost(t *testing.T, want, sent map[string]any) {
	t.Helper()
	kind := (&unstructured.Unstructured{Object: want}).GroupVersionKind()
	if kind.GroupKind() == manifest.Definition || kind.Kind == "APIService" {
		return
	}
	if !scheme.Scheme.Recognizes(kind) {
		for key, value := range want {
			if key != "metadata" {
				value = asJSON(t, withoutTime(value))
				require.Equal(t, value, asJSON(t, sent[key]), "a null of %s is lost", key)
			}
		}
		return
	}
	before, err := scheme.Scheme.New(kind)
	require.NoError(t, err)
	after := before.DeepCopyObject()
	if runtime.DefaultUnstructuredConverter.FromUnstructured(want, before) != nil {
		require.Equal(t, asJSON(t, want), asJSON(t, sent)) // no null of it can be judged
		return
	}
	require.NoError(t, runtime.DefaultUnstructuredConverter.FromUnstructured(sent, after))
	require.True(t, equality.Semantic.DeepEqual(before, after), "%v\n%v", before, after)
}

// withoutTime removes metadata.creationTimestamp: null, which clients write into templates.
func withoutTime(value any) any {
	switch value := value.(type) {
	case map[string]any:
		for key, below := range value {
			metadata, _ := below.(map[string]any)
			if time, there := metadata["creationTimestamp"]; key == "metadata" && there && time == nil {
				delete(metadata, "creationTimestamp")
			}
			withoutTime(below)
		}
	case []any:
		for _, item := range value {
			withoutTime(item)
		}
	}
	return value
}

// asJSON encodes a value as JSON and returns the decoded result.
func asJSON(t *testing.T, object any) any {
	t.Helper()
	text, err := json.Marshal(object)
	require.NoError(t, err)
	var value any
	require.NoError(t, json.Unmarshal(text, &value))
	return value
}

func withoutNulls(value any) any {
	switch value := value.(type) {
	case map[string]any:
		for key, below := range value {
			if below == nil {
				delete(value, key)
			} else {
				value[key] = withoutNulls(below)
			}
		}
	case []any:
		for i := range value {
			value[i] = withoutNulls(value[i])
		}
	}
	return value
}
