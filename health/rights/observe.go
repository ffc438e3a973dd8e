package rights

import (
	"cmp"
	"context"
	"maps"
	"slices"

	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/component-helpers/auth/rbac/validation"

	"strata/health"
	"strata/health/kube"
	"strata/health/observe"
)

// Observer observes whether the roles of a gate's Helm releases are in effect.
type Observer struct {
	releases []string
	reader   bool
	stable   *observe.Stable
	read     map[string]*release
}

// NewObserver returns the observer of a Spec's releases.
func NewObserver(spec health.Spec, secrets health.Secrets, stable *observe.Stable) *Observer {
	return &Observer{releases: spec.Releases, reader: secrets.Reader, stable: stable,
		read: map[string]*release{}}
}

// kinds are the kinds of a release's objects that are compared, by their resources.
var kinds = map[schema.GroupVersionResource]string{
	roleResource("roles"):               "Role",
	roleResource("clusterroles"):        "ClusterRole",
	roleResource("rolebindings"):        "RoleBinding",
	roleResource("clusterrolebindings"): "ClusterRoleBinding",
	kube.AccountResource:                accountKind,
}

func roleResource(name string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: rbacv1.GroupName, Version: "v1", Resource: name}
}

// Observe compares the releases' roles with those in the cluster. If they differ, it checks the
// account's rights by a SubjectAccessReview, because another role may grant them. If the caller
// lacks the rights for this, Facts.Needs says so, without an error.
func (o *Observer) Observe(ctx context.Context, s *kube.APIServer) (all []Facts, err error) {
	if len(o.releases) == 0 {
		return nil, nil
	}
	var present map[key]object
	needs := "get secrets"
	if !o.reader {
		if present, err = readPresent(ctx, s); err != nil && !apierrors.IsForbidden(err) {
			return nil, err
		}
		needs = "list roles, their bindings and ServiceAccounts"
	}
	for _, name := range o.releases {
		facts := Facts{Release: name, Needs: needs}
		if present != nil {
			if facts, err = o.observe(ctx, s, name, present); err != nil {
				return nil, err
			}
		}
		all = append(all, facts)
	}
	return all, nil
}

// readPresent returns the roles, bindings and ServiceAccounts that have Helm's label, which Helm
// sets on all its objects. A role or binding without the label counts as missing; a
// SubjectAccessReview then shows whether its rights are in effect.
func readPresent(ctx context.Context, s *kube.APIServer) (map[key]object, error) {
	resources := slices.Collect(maps.Keys(kinds))
	lists, parts := make([][]object, len(resources)), make([]func() error, len(resources))
	for i, resource := range resources {
		parts[i] = func() (err error) {
			lists[i], err = kube.List[object](ctx, s, resource, "",
				metav1.ListOptions{LabelSelector: "app.kubernetes.io/managed-by=Helm"})
			return err
		}
	}
	if err := observe.InParallel(parts...); err != nil {
		return nil, err
	}
	present := map[key]object{}
	for i, resource := range resources {
		for _, one := range lists[i] {
			one.Kind = kinds[resource]
			present[one.key()] = one
		}
	}
	return present, nil
}

func (o *Observer) observe(
	ctx context.Context, s *kube.APIServer, name string, present map[key]object,
) (facts Facts, err error) {
	facts.Release = name
	wanted, err := readRelease(ctx, s, name, o.read[name])
	switch {
	case apierrors.IsForbidden(err):
		facts.Needs = "get secrets"
		return facts, nil
	case err != nil:
		return facts, err
	case wanted == nil:
		facts.Needs = "Helm's record of it, and there is none"
		return facts, nil
	}
	o.read[name] = wanted
	if err := wanted.readRolesOfOthers(ctx, s, present); err != nil {
		return facts, err
	}
	var text string
	facts.Refusals, err = wanted.findRefusals(ctx, s, present)
	if apierrors.IsForbidden(err) {
		return Facts{Release: name, Needs: "list pods"}, nil
	}
	if err != nil {
		return facts, err
	}
	for _, one := range facts.Refusals {
		text += one.String()
	}
	for _, differing := range wanted.compare(present) {
		right, err := differing.findDenied(ctx, s)
		if apierrors.IsForbidden(err) {
			return Facts{Release: name, Needs: "create subjectaccessreviews"}, nil
		}
		if err != nil {
			return facts, err
		}
		if right != "" {
			facts.Losses = append(facts.Losses,
				loss{differing.account, right, differing.object.String(), differing.change})
			text += facts.Losses[len(facts.Losses)-1].String()
		}
	}
	if text == "" {
		o.stable.Forget("rights " + name)
		return facts, nil
	}
	facts.Seconds = o.stable.Seconds("rights "+name, text)
	return facts, nil
}

// difference has the rights of a release's role that an account does not get from the release's
// binding. Each rule in rights has one right.
type difference struct {
	account string
	// namespace limits the rights; empty for the whole cluster.
	namespace string
	rights    []rbacv1.PolicyRule
	object    key
	change    string
}

// compare returns a difference for each binding of the release that does not grant its
// ServiceAccount all rights of its role. If a role is not part of the release, its present rules
// are the expected ones. A binding to such a role is ignored if the role does not exist.
func (r *release) compare(present map[key]object) (found []difference) {
	for _, binding := range r.objects {
		role, has := r.objects[binding.role()]
		if !has {
			role, has = present[binding.role()]
		}
		if !has {
			continue
		}
		for _, account := range binding.accounts() {
			changed, change, rules := resolveBinding(binding, account, present)
			if covered, lacking := validation.Covers(rules, r.rulesOf(role)); !covered {
				found = append(found, difference{account, binding.Namespace, lacking, changed,
					change})
			}
		}
	}
	slices.SortFunc(found, func(a, b difference) int {
		return cmp.Or(cmp.Compare(a.account, b.account),
			cmp.Compare(a.object.String(), b.object.String()))
	})
	return found
}

// resolveBinding returns the rules that a binding grants an account in the cluster. It also returns
// the object that would explain a missing right, and what is wrong with it.
func resolveBinding(
	binding object, account string, present map[key]object,
) (changed key, change string, rules []rbacv1.PolicyRule) {
	found, has := present[binding.key()]
	switch {
	case !has:
		return binding.key(), "does not exist", nil
	case found.role() != binding.role():
		return binding.key(), "is for another role, " + found.role().String(), nil
	case !slices.Contains(found.accounts(), account):
		return binding.key(), "does not name the ServiceAccount", nil
	}
	role, has := present[binding.role()]
	if !has {
		return binding.role(), "does not exist", nil
	}
	return role.key(), "lacks rules that the release gave it", role.Rules
}
