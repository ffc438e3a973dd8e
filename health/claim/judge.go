package claim

import (
	"fmt"
	"strings"

	"strata/health"
	"strata/health/kube"
	"strata/health/observe"
)

// claimSeconds is the number of seconds after which a missing StorageClass is Stuck. K3s creates
// its own StorageClass some seconds after its start.
const claimSeconds = 15

// claimFacts describes a PersistentVolumeClaim and the cluster's StorageClasses.
type claimFacts struct {
	// Without a fault, APIFault.Seconds is the number of seconds for which the claim's phase and
	// the StorageClasses that apply to it have not changed.
	kube.APIFault
	Missing bool `json:"missing,omitempty"`
	// Phase is Pending, Bound or Lost.
	Phase string `json:"phase,omitempty"`
	// Class is the StorageClass that the claim names; empty means Default, the default one. Classes
	// are all StorageClasses. Provisioner is the provisioner of the claim's StorageClass.
	Class       string   `json:"class,omitempty"`
	Default     string   `json:"default,omitempty"`
	Classes     []string `json:"classes,omitempty"`
	Provisioner string   `json:"provisioner,omitempty"`
	// Events are the claim's Warning events, newest first.
	Events []string `json:"events,omitempty"`
}

// handMade is the provisioner of a StorageClass whose volumes an administrator creates.
const handMade = "kubernetes.io/no-provisioner"

func claimCheck(s Spec) string { return "claim " + s.Namespace + "/" + s.Name }

// judgeClaim judges whether a claim is bound to a volume. The StorageClasses explain a pending
// claim better than Kubernetes: the Pod is only "unschedulable", and the claim only says "no
// persistent volumes available".
func judgeClaim(spec Spec, f claimFacts) []health.Verdict {
	v := health.Verdict{Check: claimCheck(spec), State: health.Waiting, Evidence: f.Events,
		Hint: fmt.Sprintf("kubectl -n %s describe pvc %s", spec.Namespace, spec.Name)}
	switch {
	case f.Fault != nil:
		return f.FaultVerdicts(v.Check)
	case f.Missing:
		v.Message = "does not exist"
		v.Hint = fmt.Sprintf("kubectl -n %s get statefulset,pvc", spec.Namespace)
	case f.Phase == "Bound":
		return []health.Verdict{{Check: v.Check, State: health.Ready}}
	case f.Phase == "Lost":
		v.State = health.Stuck
		v.Message = "its volume is gone"
		v.Cause = "the PersistentVolume that it was bound to was deleted"
	case f.Class == "" && f.Default == "":
		f.lacks(&v, "no StorageClass", "the claim asks for the default StorageClass, and the cluster has none")
		v.Hint = "install a provisioner (K3s brings local-path unless it is disabled), or mark a " +
			"StorageClass as the default: the claim then takes it by itself"
	case f.Provisioner == "":
		f.lacks(&v, "StorageClass "+f.className()+" does not exist",
			"the claim names a StorageClass that does not exist")
		v.Hint = fmt.Sprintf("make it, or correct %s and delete claim and StatefulSet, which "+
			"cannot change: kubectl -n %s delete statefulset,pvc --all", spec.ClassKey,
			spec.Namespace)
	case f.Provisioner == handMade:
		v.Message = "no volume of StorageClass " + f.className() + " fits"
		v.Cause = "volumes of this class are made by hand, and none is free and large enough"
		v.Hint = "kubectl get persistentvolumes; " + v.Hint
	default:
		v.Message = fmt.Sprintf("%s has made no volume of StorageClass %s yet", f.Provisioner,
			f.className())
	}
	return []health.Verdict{v}
}

// className returns the class that the claim gets.
func (f claimFacts) className() string {
	if f.Class != "" {
		return f.Class
	}
	return f.Default
}

// lacks judges a claim for which no volume can be provisioned. The verdict is Stuck only after
// claimSeconds, because the StorageClass may still be created.
func (f claimFacts) lacks(v *health.Verdict, what, cause string) {
	v.Message, v.Cause = "pending: "+what+"; there is "+
		observe.OrNone(strings.Join(f.Classes, ", ")), cause
	if f.Seconds >= claimSeconds {
		v.State = health.Stuck
	}
}
