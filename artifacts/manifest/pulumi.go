package manifest

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/client-go/kubernetes/scheme"

	"strata/internal/pulumi/double"
)

// copies lists the annotations in which tools store a copy of the whole object, including a
// Secret's data.
var copies = []string{
	corev1.LastAppliedConfigAnnotation, "kapp.k14s.io/original", "objectset.rio.cattle.io/applied",
	"banzaicloud.com/last-applied",
}

// encrypted matches, in JSON, a text that SOPS has encrypted.
var encrypted = regexp.MustCompile(`[^\\]"ENC\[AES256_GCM,`)

// Prepare removes nulls that mean the same as a missing key. It removes annotations in which a tool
// repeats the object, and metadata that only the API server sets. It fails for content that Pulumi
// would not send unchanged to the API server, or that the API server would refuse. pinned is true
// if the cluster has the version of Kubernetes that Strata is compiled with. Then unknown fields
// and kinds are refused as well.
func (m Manifest) Prepare(pinned bool) error {
	switch {
	case m.GetName() == "" && m.GetGenerateName() != "":
		return m.refuse("metadata.generateName: each update would make another object; write metadata.name")
	case m.GetName() == "":
		return m.refuse("expected metadata.name")
	case m.isEncrypted():
		return m.refuse("is encrypted with SOPS and would be applied as it is; decrypt it: sops decrypt %s", m.File)
	}
	for _, key := range []string{"generateName", "managedFields", "resourceVersion", "uid"} {
		unstructured.RemoveNestedField(m.Object, "metadata", key)
	}
	if wrong := m.checkTypes(pinned); len(wrong) > 0 {
		return errors.Join(wrong...)
	}
	return errors.Join(m.prepare(nil, m.Object)...)
}

// isEncrypted reports whether SOPS has encrypted the object, so that it has a sops block or an
// encrypted text. Items of an encrypted list have no block, because the list has it. It returns
// false for a SopsSecret or GlobalSopsSecret, which an operator decrypts in the cluster.
func (m Manifest) isEncrypted() bool {
	_, block := m.Object["sops"]
	text, err := m.MarshalJSON()
	return !strings.HasSuffix(m.GetKind(), "SopsSecret") &&
		(block || err == nil && encrypted.Match(text))
}

// refuse returns an error that names the file and the object.
func (m Manifest) refuse(format string, args ...any) error {
	return fmt.Errorf("%s: %s: %w", m.File, m.Title(), fmt.Errorf(format, args...))
}

// prepare applies Prepare to one value of the object and to the values in it. path is the value's
// path. It returns the problems found.
func (m Manifest) prepare(path *field.Path, value any) (wrong []error) {
	switch value := value.(type) {
	case map[string]any:
		if strings.HasSuffix(path.String(), "metadata.annotations") {
			maps.DeleteFunc(value, func(key string, _ any) bool { return slices.Contains(copies, key) })
		}
		for _, key := range slices.Sorted(maps.Keys(value)) {
			below := child(path, key)
			if value[key] != nil || !m.dropNull(path, value, key) {
				wrong = append(wrong, m.prepare(below, value[key])...)
			}
		}
	case []any:
		for i, item := range value {
			wrong = append(wrong, m.prepare(path.Index(i), item)...)
		}
	case nil:
		wrong = append(wrong, m.refuse("%s: null would not reach the cluster: Pulumi leaves it out; "+
			"write a value, or remove the key", path))
	default:
		if double.Rounds(value) {
			wrong = append(wrong, m.refuse("%s: is an integer beyond 2^53, which Pulumi may round",
				path))
		}
	}
	return wrong
}

// child returns the path of a key, in brackets if the key has dots.
func child(path *field.Path, key string) *field.Path {
	if path != nil && strings.ContainsAny(key, ".[]") {
		return path.Key(key)
	}
	return path.Child(key)
}

// valued matches a path in a CustomResourceDefinition below which null is a value. At other paths
// of a CustomResourceDefinition or APIService, null means the same as a missing key. The Go types
// of both kinds are not compiled in.
var valued = regexp.MustCompile(
	`\.(properties|patternProperties|definitions|dependencies)$|\.(default|example|enum)\b`)

// dropNull removes a null that means the same as a missing key, and reports whether it did. It
// decides by the Go types of metadata and built-in kinds. For example, it keeps null in a map of
// strings, where null means an empty string. It keeps null in a custom resource, where null may
// have a meaning.
func (m Manifest) dropNull(path *field.Path, parent map[string]any, key string) bool {
	metadata := path.String()
	known := scheme.Scheme.Recognizes(m.GroupVersionKind())
	if !known && metadata != "metadata" && !strings.HasPrefix(metadata, "metadata.") {
		absent := key == "creationTimestamp" && strings.HasSuffix(metadata, ".metadata")
		if m.Kind() == Definition || m.Kind() == apiService {
			absent = !valued.MatchString(metadata)
		}
		if !absent {
			return false
		}
		delete(parent, key)
		return true
	}
	before, err := m.toObject(known)
	delete(parent, key)
	after, errAfter := m.toObject(known)
	if err != nil || errAfter != nil || !equality.Semantic.DeepEqual(before, after) {
		parent[key] = nil
		return false
	}
	return true
}

// toObject returns the object as its Go type if the kind is known, otherwise only its metadata.
func (m Manifest) toObject(known bool) (runtime.Object, error) {
	var into runtime.Object = &metav1.PartialObjectMetadata{}
	if known {
		var err error
		if into, err = scheme.Scheme.New(m.GroupVersionKind()); err != nil {
			return nil, err
		}
	}
	return into, runtime.DefaultUnstructuredConverter.FromUnstructured(m.Object, into)
}
