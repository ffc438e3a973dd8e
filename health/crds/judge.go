package crds

import (
	"strings"

	"strata/health"
	"strata/health/kube"
	"strata/health/observe"
)

// crdsFacts describes CRDs, and which of their versions each API server serves.
type crdsFacts struct {
	kube.APIFault
	CRDs []crdFacts `json:"crds,omitempty"`
	// Servers has the discovery of each API server.
	Servers []discoveryFacts `json:"servers,omitempty"`
	// wanted are the resources that the CRDs define.
	wanted []kube.ServedResource
}

// crdFacts describes one CustomResourceDefinition. Its conditions have no observedGeneration, so
// only discovery shows whether a new version is served.
type crdFacts struct {
	Name    string `json:"name"`
	Missing bool   `json:"missing,omitempty"`
	// Finalizers are the CRD's finalizers, which delay its deletion. Deleting is true once the
	// deletion has been requested.
	Deleting   bool     `json:"deleting,omitempty"`
	Finalizers []string `json:"finalizers,omitempty"`
	// Names and Established are the conditions NamesAccepted and Established (apiextensions v1
	// CustomResourceDefinitionConditionType).
	Names       kube.Condition `json:"names,omitzero"`
	Established kube.Condition `json:"established,omitzero"`
	// Served are the CRD's served versions.
	Served []string `json:"served,omitempty"`
	// Owner is the CRD of the same group that has taken one of this CRD's names. Leaving is true
	// while that CRD is being deleted.
	Owner   string `json:"owner,omitempty"`
	Leaving bool   `json:"leaving,omitempty"`
}

// discoveryFacts says which of the CRDs' resources one API server does not serve.
type discoveryFacts struct {
	Server string `json:"server"`
	// Asked is false if the server's discovery was not read, because a CRD is not Established.
	Asked bool `json:"asked,omitempty"`
	kube.APIFault
	// Absent are the resources that the server does not serve yet, such as "example.org/v1
	// widgets".
	Absent []string `json:"absent,omitempty"`
}

// judgeCRDs judges whether objects of every CRD can be created through every API server. The
// condition Established is not enough: one API server sets it, and the others notice the CRD later.
func judgeCRDs(spec Spec, facts crdsFacts) []health.Verdict {
	checks := make([]string, 0, len(spec.Names))
	for _, name := range spec.Names {
		checks = append(checks, "crd "+name)
	}
	if facts.Fault != nil {
		return facts.FaultVerdicts(checks[0], checks[1:]...)
	}
	var verdicts []health.Verdict
	for _, crd := range facts.CRDs {
		verdicts = append(verdicts, judgeCRD(crd))
	}
	for _, server := range facts.Servers {
		v := judgeDiscovery(server)
		v.After = checks
		verdicts = append(verdicts, v)
	}
	return verdicts
}

func judgeCRD(crd crdFacts) health.Verdict {
	v := health.Verdict{Check: "crd " + crd.Name, State: health.Waiting,
		Hint: "kubectl describe crd " + crd.Name}
	switch {
	case crd.Missing:
		v.Message, v.Cause = "does not exist", "it was deleted, or is not applied yet"
		v.Hint = "if it was deleted: pulumi up puts it back"
	case crd.Deleting:
		v.Message = "is being deleted"
		v.Cause = "finalizer " + observe.OrNone(strings.Join(crd.Finalizers, ", ")) +
			": its objects are deleted first"
		v.Hint = "kubectl get " + crd.Name +
			" -A; an object whose finalizers no controller removes holds it"
	case crd.Names.Status == "False":
		namesTaken(&v, crd)
	case len(crd.Served) == 0:
		v.State = health.Stuck
		v.Message = "serves no version"
		v.Cause = "every version in it has served: false"
	case crd.Names.Status != "True" || crd.Established.Status != "True":
		v.Message = "not established: " + kube.ConditionLine(crd.Established)
		v.Cause = "the API server has not accepted it yet"
	default:
		return health.Verdict{Check: v.Check, State: health.Ready}
	}
	return v
}

// namesTaken judges a CRD whose plural, kind or short name another CRD of its group uses
// (apiextensions-apiserver pkg/controller/status/naming_controller.go). The conflict lasts until
// one of the two is changed.
func namesTaken(v *health.Verdict, crd crdFacts) {
	v.Message = "its names are not accepted: " + crd.Names.Message
	v.Evidence = []string{kube.ConditionLine(crd.Names)}
	switch {
	case crd.Owner == "":
		v.Cause = "another CRD of its group had one of the names"
	case crd.Leaving:
		v.Cause = "CRD " + crd.Owner + " holds one of the names, and is being deleted"
	default:
		v.State, v.Cause = health.Stuck, "CRD "+crd.Owner+" holds one of the names"
		v.Hint = "delete the CRD that is not wanted: kubectl describe crd " + crd.Owner
	}
}

func judgeDiscovery(server discoveryFacts) health.Verdict {
	v := health.Verdict{Check: "crds through " + server.Server, State: health.Waiting}
	switch {
	case !server.Asked:
		v.Message = "not asked before every CRD is established"
	case server.Fault != nil:
		return server.FaultVerdict(v.Check)
	case len(server.Absent) > 0:
		v.Message = "does not serve " + strings.Join(server.Absent, ", ") + " yet"
		v.Cause = "this API server has not caught up with the CRDs"
		v.Hint = "kubectl api-resources --server https://" + server.Server
	default:
		return health.Verdict{Check: v.Check, State: health.Ready}
	}
	return v
}
