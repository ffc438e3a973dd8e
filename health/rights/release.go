package rights

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	kubeyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"

	"strata/health/kube"
	"strata/internal/kube/helmrecord"
)

// object is a Role, ClusterRole, RoleBinding, ClusterRoleBinding or ServiceAccount. Each kind uses
// only some of the fields.
type object struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Rules             []rbacv1.PolicyRule     `json:"rules"`
	AggregationRule   *rbacv1.AggregationRule `json:"aggregationRule"`
	RoleRef           rbacv1.RoleRef          `json:"roleRef"`
	Subjects          []rbacv1.Subject        `json:"subjects"`
}

// key identifies an object. Namespace is empty for the cluster-wide kinds.
type key struct{ kind, namespace, name string }

func (k key) String() string {
	if k.namespace == "" {
		return k.kind + " " + k.name
	}
	return k.kind + " " + k.namespace + "/" + k.name
}

func (o object) key() key { return key{o.Kind, o.Namespace, o.Name} }

// role returns the key of the role that the binding refers to.
func (o object) role() key {
	if o.RoleRef.Kind == "Role" {
		return key{o.RoleRef.Kind, o.Namespace, o.RoleRef.Name}
	}
	return key{kind: o.RoleRef.Kind, name: o.RoleRef.Name}
}

// accounts returns the ServiceAccounts that a binding names, as namespace/name.
func (o object) accounts() (all []string) {
	for _, subject := range o.Subjects {
		if subject.Kind == rbacv1.ServiceAccountKind {
			all = append(all, subject.Namespace+"/"+subject.Name)
		}
	}
	return all
}

// release has the roles, bindings and ServiceAccounts of a release's newest deployed revision.
// record is the name of its Secret, and version the Secret's resourceVersion.
type release struct {
	record, version string
	objects         map[key]object
}

// readRelease reads a release from Helm's record. If the record has not changed since before was
// read, it returns before. If there is no record, it returns nil.
func readRelease(
	ctx context.Context, s *kube.APIServer, name string, before *release,
) (*release, error) {
	namespace, name, _ := strings.Cut(name, "/")
	options := metav1.ListOptions{LabelSelector: helmrecord.Selector(name) + ",status=deployed"}
	secrets, err := kube.List[corev1.Secret](ctx, s, kube.SecretResource, namespace, options)
	if err != nil || len(secrets) == 0 {
		return nil, err
	}
	newest := helmrecord.Newest(secrets)
	if before != nil && before.version == newest.ResourceVersion && before.record == newest.Name {
		return before, nil
	}
	record, err := helmrecord.Decode(newest)
	if err != nil {
		return nil, err
	}
	manifest, _ := record["manifest"].(string)
	objects, err := parseManifest(manifest, namespace)
	return &release{record: newest.Name, version: newest.ResourceVersion, objects: objects}, err
}

// readRolesOfOthers adds to present the roles that the release's bindings refer to and that are not
// the release's, such as Kubernetes' own ClusterRole system:auth-delegator.
func (r *release) readRolesOfOthers(
	ctx context.Context, s *kube.APIServer, present map[key]object,
) error {
	for _, binding := range r.objects {
		role := binding.role()
		_, own := r.objects[role]
		if _, read := present[role]; own || read || role.name == "" {
			continue
		}
		at := schema.GroupVersionResource{Group: rbacv1.GroupName, Version: "v1",
			Resource: strings.ToLower(role.kind) + "s"}
		found, err := kube.Get[object](ctx, s, at, role.namespace, role.name)
		if err != nil {
			return err
		}
		if found != nil {
			found.Kind = role.kind
			present[role] = *found
		}
	}
	return nil
}

// parseManifest returns the roles, bindings and ServiceAccounts in a release's manifest. An object
// without a namespace belongs to the release's namespace.
func parseManifest(manifest, namespace string) (map[key]object, error) {
	objects := map[key]object{}
	for documents := kubeyaml.NewYAMLReader(bufio.NewReader(strings.NewReader(manifest))); ; {
		text, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return objects, nil
		}
		// CRDs are long, so only documents that may have one of these kinds are parsed.
		if err != nil || !bytes.Contains(text, []byte(rbacv1.GroupName)) &&
			!bytes.Contains(text, []byte(accountKind)) {
			continue
		}
		var one object
		if err := yaml.Unmarshal(text, &one); err != nil {
			return nil, fmt.Errorf("the release's manifest: %w", err)
		}
		if one.GroupVersionKind().Group != rbacv1.GroupName && one.Kind != accountKind {
			continue
		}
		if strings.HasPrefix(one.Kind, "Cluster") {
			one.Namespace = ""
		} else if one.Namespace == "" {
			one.Namespace = namespace
		}
		objects[one.key()] = one
	}
}

// rulesOf returns a role's rules in the release. For a ClusterRole with an aggregationRule, it
// joins the rules of the release's ClusterRoles that the role selects, as Kubernetes' controller
// does.
func (r *release) rulesOf(role object) (rules []rbacv1.PolicyRule) {
	if role.AggregationRule == nil {
		return role.Rules
	}
	for i := range role.AggregationRule.ClusterRoleSelectors {
		selector, err := metav1.LabelSelectorAsSelector(
			&role.AggregationRule.ClusterRoleSelectors[i])
		if err != nil {
			continue // the API server refuses a role with an invalid selector
		}
		for _, other := range r.objects {
			if other.Kind == "ClusterRole" && other.AggregationRule == nil &&
				selector.Matches(labels.Set(other.Labels)) {
				rules = append(rules, other.Rules...)
			}
		}
	}
	return rules
}
