package components

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"strata/internal/manifest"
)

// Manifest is one object of a user's file.
type Manifest struct {
	// File is as the configuration names it.
	File string
	*unstructured.Unstructured
}

// ManifestsArgs configures Manifests.
type ManifestsArgs struct {
	// Objects come from ReadManifests.
	Objects []Manifest
	// Cluster takes the objects. Required.
	Cluster *Cluster
	// Timeout bounds each apply (strata:timeouts.apply).
	Timeout metav1.Duration
	// After are the gates that every object waits for; Kinds those that the kinds of an API group
	// wait for as well: whoever serves and admits them.
	After []pulumi.Resource
	Kinds map[string][]pulumi.Resource
}

// Manifests owns the user's own objects. Each is a resource of its own: they are applied side by
// side, one that the API server refuses is named with its file, and with --continue-on-error it
// holds up no other.
type Manifests struct {
	pulumi.ResourceState
}

// ReadManifests reads every file. The error joins the faults of all of them, so that nothing is
// changed before all can be read.
func ReadManifests(project string, files []string) ([]Manifest, error) {
	var all []Manifest
	var wrong []error
	seen := map[string]string{}
	for i, file := range files {
		path := file
		if !filepath.IsAbs(path) {
			path = filepath.Join(project, file)
		}
		text, err := os.ReadFile(path)
		var objects []*unstructured.Unstructured
		if err == nil {
			objects, err = manifest.Parse(text)
		}
		if err != nil {
			wrong = append(wrong, fmt.Errorf("strata:apps.manifests[%d]: %s: %w; nothing was changed", i, file, err))
			continue
		}
		for _, object := range objects {
			made := Manifest{file, object}
			if other, twice := seen[made.identity()]; twice {
				wrong = append(wrong, fmt.Errorf("strata:apps.manifests[%d]: %s: %s is in %s already; remove one", i, file, made.title(), other))
			}
			seen[made.identity()] = file
			all = append(all, made)
		}
	}
	return all, errors.Join(wrong...)
}

// identity returns the group, kind, namespace and name by which an API server knows the object.
func (m Manifest) identity() string {
	return strings.Join([]string{m.GroupVersionKind().GroupKind().String(), m.GetNamespace(), m.GetName()}, "/")
}

// title is the object for people.
func (m Manifest) title() string {
	if m.GetNamespace() == "" {
		return m.GetKind() + " " + m.GetName()
	}
	return m.GetKind() + " " + m.GetNamespace() + "/" + m.GetName()
}

// resource is the object's name in the program: its file is the first thing that an error shows.
func (m Manifest) resource(name string) string {
	parts := []string{name, m.File, m.GetKind()}
	if m.GetNamespace() != "" {
		parts = append(parts, m.GetNamespace())
	}
	return strings.Join(append(parts, m.GetName()), ":")
}

// token is the object's type in the program.
func (m Manifest) token() string {
	version := m.GetAPIVersion()
	if !strings.Contains(version, "/") {
		version = "core/" + version
	}
	return "kubernetes:" + version + ":" + m.GetKind()
}

// NewManifests registers the objects. One waits for another only where the API server would refuse
// it for good: its namespace, and the definition of its kind.
func NewManifests(ctx *pulumi.Context, name string, args *ManifestsArgs, opts ...pulumi.ResourceOption) (*Manifests, error) {
	m := &Manifests{}
	if err := ctx.RegisterComponentResource("strata:apps:Manifests", name, m, opts...); err != nil {
		return nil, err
	}
	made := map[string]pulumi.Resource{} // what others need, by identity
	objects := slices.Clone(args.Objects)
	slices.SortStableFunc(objects, func(a, b Manifest) int { return a.rank() - b.rank() })
	for _, one := range objects {
		needs := with(args.After, args.Kinds[one.GroupVersionKind().Group]...)
		for _, need := range one.needs(args.Objects) {
			needs = append(needs, made[need])
		}
		if one.GetKind() == "Namespace" && one.GroupVersionKind().Group == "" {
			end, err := args.Cluster.namespaceEnd(ctx, one.resource(name), one.GetName(), childOf(m, needs...)...)
			if err != nil {
				return nil, fmt.Errorf("manifests: %s: %w", one.File, err)
			}
			needs, one = append(needs, end), one.unawaited()
		}
		args.Cluster.objects.Add(one.GroupVersionKind().GroupKind().String(), one.GetNamespace(), one.GetName())
		object, err := newObject(ctx, args.Cluster, one.token(), one.resource(name), one.fields(),
			append(childOf(m, needs...), bounded(args.Timeout))...)
		if err != nil {
			return nil, fmt.Errorf("manifests: %s: %s: %w", one.File, one.title(), err)
		}
		made[one.identity()] = object
	}
	return m, ctx.RegisterResourceOutputs(m, pulumi.Map{})
}

// rank orders an object before those that need it.
func (m Manifest) rank() int {
	switch m.GetKind() {
	case "Namespace", "CustomResourceDefinition":
		return 0
	default:
		return 1
	}
}

// needs are the identities of those of all that the object cannot be created without.
func (m Manifest) needs(all []Manifest) []string {
	var found []string
	for _, other := range all {
		of := m.GroupVersionKind()
		kind, _, _ := unstructured.NestedString(other.Object, "spec", "names", "kind")
		group, _, _ := unstructured.NestedString(other.Object, "spec", "group")
		space := other.GetKind() == "Namespace" && other.GetName() == m.GetNamespace()
		definition := other.GetKind() == "CustomResourceDefinition" && (schema.GroupKind{Group: group, Kind: kind}) == of.GroupKind()
		if space || definition {
			found = append(found, other.identity())
		}
	}
	return found
}

// unawaited returns a namespace whose delete the provider does not wait for.
func (m Manifest) unawaited() Manifest {
	m.Unstructured = m.DeepCopy()
	notes := map[string]string{unawaited: "true"}
	maps.Copy(notes, m.GetAnnotations())
	m.SetAnnotations(notes)
	return m
}

// fields are the object's, with those of a Secret marked as such.
func (m Manifest) fields() pulumi.Map {
	fields := pulumi.Map{}
	for key, value := range m.Object {
		fields[key] = pulumi.Any(value)
		if m.GetKind() == "Secret" && (key == "data" || key == "stringData") {
			fields[key] = pulumi.ToSecret(pulumi.Any(value))
		}
	}
	return fields
}
