package components

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/artifacts/manifest"
)

// Manifest is one object of a user's file.
type Manifest struct {
	manifest.Manifest
	// clusterScoped is true if the kind has no namespace, even if the file has one.
	clusterScoped bool
}

// ManifestsArgs configures Manifests.
type ManifestsArgs struct {
	Layer
	// Objects come from ReadManifests.
	Objects []Manifest
	// Kinds has the gates for the kinds of each API group: those of its server and its webhook.
	// Objects wait for them in addition to After.
	Kinds map[string][]pulumi.Resource
}

// Manifests owns the user's own objects. Each is a resource of its own, and all are applied in
// parallel. If the API server refuses one, the error names its file. With --continue-on-error, it
// delays no other object.
type Manifests struct {
	pulumi.ResourceState
}

// ReadManifests reads every file. The error joins the mistakes of all files, so nothing is changed
// before all can be read.
func ReadManifests(project string, files []string) ([]Manifest, error) {
	var objects []manifest.Manifest
	var wrong []error
	for i, file := range files {
		read, err := readManifest(project, file)
		if err != nil {
			wrong = append(wrong, fmt.Errorf("strata:apps.manifests[%d]: %w; nothing was changed",
				i, err))
		}
		objects = append(objects, read...)
	}
	clusterScoped := manifest.ClusterScoped(objects)
	var all []Manifest
	seen := map[string]string{}
	for _, object := range objects {
		made := Manifest{object, clusterScoped[object.Kind()]}
		if other, twice := seen[made.identity()]; twice {
			wrong = append(wrong, fmt.Errorf(
				"strata:apps.manifests[%d]: %s: %s is in %s already; remove one",
				slices.Index(files, made.File), made.File, made.Title(), other))
		}
		seen[made.identity()] = made.File
		all = append(all, made)
	}
	return all, errors.Join(wrong...)
}

// readManifest reads the objects of one file. It refuses objects that Pulumi would change.
func readManifest(project, file string) ([]manifest.Manifest, error) {
	path := file
	if !filepath.IsAbs(path) {
		path = filepath.Join(project, file)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	objects, err := manifest.Parse(file, text)
	for _, object := range objects {
		err = errors.Join(err, object.Prepare())
	}
	return objects, err
}

// namespace returns the namespace in which the API server puts the object.
func (m Manifest) namespace() string {
	if m.clusterScoped {
		return ""
	}
	return cmp.Or(m.GetNamespace(), metav1.NamespaceDefault)
}

// identity returns the group, kind, namespace and name by which an API server knows the object.
func (m Manifest) identity() string {
	return strings.Join([]string{m.Kind().String(), m.namespace(), m.GetName()}, "/")
}

// resource returns the object's name in the program. It begins with the file, which errors show
// first. It has the namespace exactly as the file has it: another form would make existing stacks
// recreate the object.
func (m Manifest) resource(name string) string {
	parts := []string{name, m.File, m.GetKind()}
	if m.GetNamespace() != "" {
		parts = append(parts, m.GetNamespace())
	}
	return strings.Join(append(parts, m.GetName()), ":")
}

// token returns the object's type in the program.
func (m Manifest) token() string {
	version := m.GetAPIVersion()
	if !strings.Contains(version, "/") {
		version = "core/" + version
	}
	return "kubernetes:" + version + ":" + m.GetKind()
}

// NewManifests registers the objects. An object waits for another only if the API server would
// otherwise refuse it for good: for its namespace and the definition of its kind.
func NewManifests(
	ctx *pulumi.Context, name string, args *ManifestsArgs, opts ...pulumi.ResourceOption,
) (*Manifests, error) {
	m := &Manifests{}
	if err := ctx.RegisterComponentResource(tokenOf("apps", "Manifests"), name, m,
		opts...); err != nil {
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
		if one.Kind() == manifest.Namespace {
			end, err := args.Cluster.namespaceEnd(ctx, one.resource(name), one.GetName(),
				childOf(m, needs...)...)
			if err != nil {
				return nil, fmt.Errorf("manifests: %s: %w", one.File, err)
			}
			needs, one = append(needs, end), one.withoutWait()
		}
		args.Cluster.objects.Add(one.Kind().String(), one.GetNamespace(), one.GetName())
		object, err := newObject(ctx, args.Cluster, one.token(), one.resource(name), one.fields(),
			append(childOf(m, needs...), customTimeouts(args.Timeouts.Apply))...)
		if err != nil {
			return nil, fmt.Errorf("manifests: %s: %s: %w", one.File, one.Title(), err)
		}
		made[one.identity()] = object
	}
	return m, registerOutputs(ctx, m)
}

// rank orders Namespaces and CustomResourceDefinitions before other objects.
func (m Manifest) rank() int {
	if m.Kind() == manifest.Namespace || m.Kind() == manifest.Definition {
		return 0
	}
	return 1
}

// needs returns the identities of those objects in all that must exist before this one is created.
// CustomResourceDefinitions and Namespaces need none.
func (m Manifest) needs(all []Manifest) []string {
	if m.rank() == 0 {
		return nil
	}
	var found []string
	for _, other := range all {
		defined, definition := other.Defines()
		if definition && defined == m.Kind() || other.Kind() == manifest.Namespace &&
			other.GetName() == m.namespace() {
			found = append(found, other.identity())
		}
	}
	return found
}

// withoutWait returns the namespace with the annotation that makes the provider's delete not wait.
func (m Manifest) withoutWait() Manifest {
	m.Unstructured = m.DeepCopy()
	notes := map[string]string{withoutWait: "true"}
	maps.Copy(notes, m.GetAnnotations())
	m.SetAnnotations(notes)
	return m
}

// fields returns the object's fields, with a Secret's data marked as secret.
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
