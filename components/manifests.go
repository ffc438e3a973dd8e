package components

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"strata/artifacts/manifest"
	"strata/config"
)

// Manifest is an object in a file of strata:apps.manifests.
type Manifest struct {
	manifest.Manifest
	// clusterScoped is true if objects of this kind have no namespace. A namespace in the file is
	// then ignored.
	clusterScoped bool
}

// ManifestsArgs configures Manifests.
type ManifestsArgs struct {
	Layer
	// Objects are the result of ReadManifests.
	Objects []Manifest
	// Kinds has, by API group, the gates that the group's objects wait for in addition to After.
	// They pass once the API servers serve the group's kinds and its admission webhook works.
	Kinds map[string][]pulumi.Resource
}

// Manifests owns the objects in the user's files. Each object is a separate resource: Pulumi
// applies objects in parallel, an error names the file, and --continue-on-error applies the other
// objects.
type Manifests struct {
	pulumi.ResourceState
}

// ReadManifests returns the objects of the files in strata:apps.manifests. Relative paths begin in
// the folder project. The error joins the errors of all files, and reports duplicate objects.
func ReadManifests(project string, cfg *config.Config) ([]Manifest, error) {
	files := cfg.Apps.Manifests
	pinned := !cfg.OnExistingCluster() && // Strata is compiled with the pin's Kubernetes
		cmp.Or(cfg.K3s.Version, config.K3sVersion) == config.K3sVersion
	var objects []manifest.Manifest
	var wrong []error
	for i, file := range files {
		read, err := readManifest(project, file, pinned)
		if err != nil {
			wrong = append(wrong, fmt.Errorf("strata:apps.manifests[%d]: %w; nothing was changed",
				i, err))
		}
		objects = append(objects, read...)
	}
	clusterScoped := manifest.ClusterScoped(objects)
	var all []Manifest
	seen := map[string]string{} // files by identity, and by type and name of the resource
	for _, object := range objects {
		made := Manifest{object, clusterScoped[object.Kind()]}
		problem, name := "", made.token()+made.resource("")
		if other, twice := seen[made.identity()]; twice {
			problem = fmt.Sprintf("is in %s already; remove one", other)
		} else if seen[name] != "" {
			problem = "has the Pulumi name of another object; move one of them to another file"
		}
		if problem != "" {
			wrong = append(wrong, fmt.Errorf("strata:apps.manifests[%d]: %s: %s %s",
				slices.Index(files, made.File), made.File, made.Title(), problem))
		}
		seen[made.identity()], seen[name] = made.File, made.File
		all = append(all, made)
	}
	return all, errors.Join(wrong...)
}

// readManifest returns the objects of one file. It returns an error for objects that Pulumi would
// change.
func readManifest(project, file string, pinned bool) ([]manifest.Manifest, error) {
	path, err := config.ResolvePath(project, file)
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	objects, err := manifest.Parse(file, text)
	for _, object := range objects {
		err = errors.Join(err, object.Prepare(pinned))
	}
	return objects, err
}

// namespace returns the namespace in which the API server creates the object; empty if the kind is
// cluster-scoped.
func (m Manifest) namespace() string {
	if m.clusterScoped {
		return ""
	}
	return cmp.Or(m.GetNamespace(), metav1.NamespaceDefault)
}

// identity returns the kind, group, namespace and name that identify the object in the cluster, in
// one string.
func (m Manifest) identity() string {
	return strings.Join([]string{m.Kind().String(), m.namespace(), m.GetName()}, "/")
}

// resource returns the name of the object's Pulumi resource. name is the component's name. The
// file's path follows name, so that errors show it. If the file sets no namespace, the resource's
// name has none: a changed name would make existing stacks replace the object.
func (m Manifest) resource(name string) string {
	parts := []string{name, m.File, m.GetKind()}
	if m.GetNamespace() != "" {
		parts = append(parts, m.GetNamespace())
	}
	return strings.Join(append(parts, m.GetName()), ":")
}

// token returns the Pulumi type token of the object.
func (m Manifest) token() string {
	version := m.GetAPIVersion()
	if !strings.Contains(version, "/") {
		version = "core/" + version
	}
	return "kubernetes:" + version + ":" + m.GetKind()
}

// checkOwners returns an error for objects that Strata has registered already. name is the
// component's name. Otherwise Pulumi would delete such an object as soon as the user removes it
// from the file.
func (a *ManifestsArgs) checkOwners(ctx *pulumi.Context, name string) error {
	var wrong []error
	for _, one := range a.Objects {
		object := strings.TrimPrefix(one.namespace()+"/"+one.GetName(), "/")
		if !a.Cluster.objects.Has(one.Kind().String(), object) {
			continue
		}
		token, resource := one.token(), one.resource(name)
		if one.Kind() == manifest.Namespace { // it depends on the command that waits for its end
			token, resource = "command:local:Command", resource+"-end"
		}
		wrong = append(wrong, fmt.Errorf("strata:apps.manifests: %s: %s is Strata's own; remove it "+
			"from the file; if an update has applied it, first run: pulumi state delete "+
			"--target-dependents 'urn:pulumi:%s::%s::%s$%s::%s'", one.File, one.Title(),
			ctx.Stack(), ctx.Project(), tokenOf("apps", "Manifests"), token, resource))
	}
	return errors.Join(wrong...)
}

// NewManifests registers the objects. An object waits only for its namespace and for the CRD of its
// kind, without which the API server would refuse it. It fails before it registers any object if a
// layer has registered one of them, so call it after the layers.
func NewManifests(
	ctx *pulumi.Context, name string, args *ManifestsArgs, opts ...pulumi.ResourceOption,
) (*Manifests, error) {
	m := &Manifests{}
	if err := args.checkOwners(ctx, name); err != nil {
		return nil, err
	}
	if err := ctx.RegisterComponentResource(tokenOf("apps", "Manifests"), name, m,
		opts...); err != nil {
		return nil, err
	}
	made := map[string]pulumi.Resource{} // registered objects by identity
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
		object, err := newObject(ctx, args.Cluster, one.token(), one.resource(name), one.fields(),
			append(childOf(m, needs...), customTimeouts(args.Timeouts.Apply))...)
		if err != nil {
			return nil, fmt.Errorf("manifests: %s: %s: %w", one.File, one.Title(), err)
		}
		made[one.identity()] = object
	}
	return m, registerOutputs(ctx, m)
}

// rank returns 0 for Namespaces and CustomResourceDefinitions, which are registered first, and 1
// for other objects.
func (m Manifest) rank() int {
	if m.Kind() == manifest.Namespace || m.Kind() == manifest.Definition {
		return 0
	}
	return 1
}

// needs returns the identities of the object's Namespace and of its kind's
// CustomResourceDefinition, if they are in all. It returns nil for Namespaces and
// CustomResourceDefinitions.
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

// withoutWait returns a copy of the namespace with the annotation withoutWait, unless the file sets
// that annotation.
func (m Manifest) withoutWait() Manifest {
	m.Unstructured = m.DeepCopy()
	notes := map[string]string{withoutWait: "true"}
	maps.Copy(notes, m.GetAnnotations())
	m.SetAnnotations(notes)
	return m
}

// fields returns the object's fields. The data of a Secret are marked as secret.
func (m Manifest) fields() object {
	fields := maps.Clone(m.Object)
	for _, key := range []string{"data", "stringData"} {
		if value, there := fields[key]; there && m.GetKind() == "Secret" {
			fields[key] = pulumi.ToSecret(pulumi.Any(value))
		}
	}
	return fields
}
