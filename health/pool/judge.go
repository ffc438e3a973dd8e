package pool

import (
	"fmt"
	"slices"
	"strings"

	"strata/health"
	"strata/health/kube"
	"strata/health/observe"
)

// The conditions that MetalLB's reconcilers write into a ConfigurationState
// (internal/k8s/controllers/values.go). Their lastTransitionTime is the time of the last
// reconciliation, not of the last change.
const (
	poolReconciled   = "poolReconcilerValid"
	configReconciled = "configReconcilerValid"
	// configurationError is the reason of a condition that is False because of a user's input.
	// Conditions with other reasons recover by themselves.
	configurationError = "ConfigurationError"
	// unchangedSeconds is the number of seconds after which an unchanged state counts as current.
	// MetalLB notices a change within one second.
	unchangedSeconds = 10
)

// poolFacts describes an address pool and MetalLB's reports about it.
type poolFacts struct {
	kube.APIFault
	Pool poolSeen `json:"pool"`
	// States are the ConfigurationStates, by name: controller, and speaker-NODE for each node.
	States []configurationState `json:"states,omitempty"`
	// Speakers are the nodes with a speaker's Pod, if the Spec selects nodes by these Pods.
	Speakers []string `json:"speakers,omitempty"`
}

// poolSeen describes the IPAddressPool object.
type poolSeen struct {
	Missing   bool     `json:"missing,omitempty"`
	Deleting  bool     `json:"deleting,omitempty"`
	Addresses []string `json:"addresses,omitempty"`
	// Named is true if only Services that name the pool get an address from it (autoAssign: false).
	Named bool `json:"named,omitempty"`
	// Reserved is true if only Services of some namespaces or labels get an address from it
	// (serviceAllocation).
	Reserved bool `json:"reserved,omitempty"`
	// Unannounced is true if no L2Advertisement covers the pool.
	Unannounced bool `json:"unannounced,omitempty"`
	// Nodeless is true if no node with a speaker suits the L2Advertisements that cover the pool.
	Nodeless bool `json:"nodeless,omitempty"`
	// Interfaces are the network interfaces on which the pool is announced; empty means all.
	Interfaces []string `json:"interfaces,omitempty"`
	// Counted is true if the status has counts. The pool has no conditions, so only counts show
	// that the controller has read it. Available and Assigned include both IP families.
	Counted   bool  `json:"counted,omitempty"`
	Available int64 `json:"available,omitempty"`
	Assigned  int64 `json:"assigned,omitempty"`
	// Size is the number of addresses in the specification; 0 if it is too large to count, if the
	// addresses are invalid, or with avoidBuggyIPs.
	Size int64 `json:"size,omitempty"`
}

// configurationState is the report of one MetalLB process on the whole configuration.
type configurationState struct {
	Name       string           `json:"name"`
	Result     string           `json:"result,omitempty"`
	Summary    string           `json:"summary,omitempty"`
	Conditions []kube.Condition `json:"conditions,omitempty"`
	// Fresh is true if the state was written after the pool and its L2Advertisements last changed.
	Fresh bool `json:"fresh,omitempty"`
	// Seconds is the number of seconds for which a state that is not fresh has been the same. Alive
	// is true if the Pod that wrote the state is Ready.
	Seconds int  `json:"seconds,omitempty"`
	Alive   bool `json:"alive,omitempty"`
}

// judgePool judges whether the pool works. The pool must be as specified and counted by the
// controller. The controller and every speaker must have accepted it since its last change.
func judgePool(spec Spec, facts poolFacts) []health.Verdict {
	check := "pool " + spec.Namespace + "/" + spec.Name
	if facts.Fault != nil {
		return facts.FaultVerdicts(check, stateChecks(spec)...)
	}
	pool := judgePoolObject(spec, facts.Pool)
	pool.Check = check
	if facts.Pool.Missing { // the states were not read then
		return append([]health.Verdict{pool}, kube.NotSeen(check, stateChecks(spec)...)...)
	}
	states := []health.Verdict{judgeState(facts.States, "controller", check, poolReconciled)}
	speakers := spec.Speakers
	if spec.SpeakerPods != "" {
		speakers = facts.Speakers
		if len(speakers) == 0 {
			states = append(states, health.Verdict{Check: "metallb speakers", State: health.Waiting,
				Message: "no node has a speaker's Pod",
				Hint:    "kubectl -n " + spec.Namespace + " get pods -l " + spec.SpeakerPods})
		}
	}
	for _, node := range speakers {
		states = append(states, judgeState(facts.States, "speaker-"+node, check, configReconciled))
	}
	// While MetalLB rejects the configuration, it does not count the pool. So the pool's check
	// comes after the check that shows the rejection.
	for _, state := range states {
		if state.State == health.Stuck && pool.State == health.Waiting {
			pool.After = append(pool.After, state.Check)
		}
	}
	return append([]health.Verdict{pool}, states...)
}

func stateChecks(spec Spec) []string {
	checks := []string{"metallb controller"}
	for _, node := range spec.Speakers {
		checks = append(checks, "metallb speaker-"+node)
	}
	return checks
}

func judgePoolObject(spec Spec, pool poolSeen) health.Verdict {
	v := health.Verdict{State: health.Waiting,
		Hint: "kubectl -n " + spec.Namespace + " describe ipaddresspool " + spec.Name}
	switch {
	case pool.Missing:
		kube.Absent(&v)
	case pool.Deleting:
		v.Message = "is being deleted"
	case !sameAddresses(pool.Addresses, spec.Addresses):
		v.Message = fmt.Sprintf("has %s, expected %s",
			observe.OrNone(strings.Join(pool.Addresses, ", ")), strings.Join(spec.Addresses, ", "))
		v.Cause = "another version of the pool, or another field manager writes it"
	case pool.Named, pool.Reserved:
		v.Message = "gives addresses only to Services that name it (autoAssign: false)"
		if pool.Reserved {
			v.Message = "gives addresses only to some Services (serviceAllocation)"
		}
		v.Cause = "another field manager changed it: any other Service waits for an address"
		v.Hint = "pulumi up puts it back; " + v.Hint
	case pool.Unannounced:
		v.Message = "no L2Advertisement announces it: no new client finds its addresses"
		v.Cause = "it was deleted, or is not applied yet"
		v.Hint = "if it was deleted: pulumi up puts it back; kubectl -n " +
			spec.Namespace + " get l2advertisements"
	case pool.Nodeless:
		v.Message = "its L2Advertisement suits no node with a speaker: no new client finds its addresses"
		v.Cause = "another field manager changed the L2Advertisement's nodeSelectors, or the " +
			"nodes' labels"
		v.Hint = "pulumi up puts the L2Advertisement back; kubectl get nodes " +
			"--show-labels; kubectl -n " + spec.Namespace + " get l2advertisements -o yaml"
	case !pool.Counted:
		v.Message = "the controller has not counted its addresses"
		v.Cause = "the controller is starting, or rejects the configuration"
	case pool.Size > 0 && pool.Available+pool.Assigned != pool.Size:
		v.Message = fmt.Sprintf("the controller counts %d addresses, the pool has %d",
			pool.Available+pool.Assigned, pool.Size)
		v.Cause = "the count is of an earlier version of the pool"
	case pool.Available == 0:
		return health.Verdict{State: health.Ready,
			Message: "every address is assigned: the next Service waits for one",
			Hint: "add a range to strata:metallb.addresses, or delete a Service that is not " +
				"needed: kubectl get services -A | grep LoadBalancer"}
	case len(pool.Interfaces) > 0:
		return health.Verdict{State: health.Ready,
			Message: "announced at interfaces " + strings.Join(pool.Interfaces, ", ") + " only",
			Hint:    "a node that has none of these interfaces announces nothing: ip link on each node"}
	default:
		return health.Verdict{State: health.Ready}
	}
	return v
}

// sameAddresses compares two lists of addresses. It ignores their order and spaces around the dash.
func sameAddresses(have, want []string) bool {
	clean := func(list []string) []string {
		out := make([]string, 0, len(list))
		for _, text := range list {
			out = append(out, strings.ReplaceAll(text, " ", ""))
		}
		slices.Sort(out)
		return out
	}
	return slices.Equal(clean(have), clean(want))
}

// current reports whether the state describes the present configuration. A change of an annotation
// makes the state look outdated, although MetalLB has nothing to reconcile. So a state also counts
// as current if its Pod is Ready and has not written for unchangedSeconds.
func (s configurationState) current() bool {
	return s.Fresh || s.Alive && s.Seconds >= unchangedSeconds
}

// judgeState judges whether one MetalLB process has accepted the present configuration. It looks at
// the conditions first, because another reconciler computes the result from them a moment later.
func judgeState(states []configurationState, name, pool, wanted string) health.Verdict {
	v := health.Verdict{Check: "metallb " + name, State: health.Waiting,
		Hint: "kubectl -n metallb-system get configurationstate " + name + " -o yaml"}
	at := slices.IndexFunc(states, func(s configurationState) bool { return s.Name == name })
	if at < 0 {
		v.Message = "has not reported a ConfigurationState"
		v.Cause = "its Pod does not run, or has not read a configuration yet"
		v.Hint = "kubectl -n metallb-system get pods -o wide"
		return v
	}
	state := states[at]
	if !state.current() {
		v.Message, v.After = "has not read the configuration since the pool changed", []string{pool}
		return v
	}
	reported := false
	for _, c := range state.Conditions {
		if c.Status == "False" {
			return judgeRejection(v, state, c)
		}
		reported = reported || c.Type == wanted && c.Status == "True"
	}
	if !reported || state.Result != "Valid" {
		v.Message = fmt.Sprintf("result is %s, expected Valid with %s=True",
			observe.OrNone(state.Result), wanted)
		return v
	}
	return health.Verdict{Check: v.Check, State: health.Ready}
}

// judgeRejection judges a configuration that the process refused, or could not apply for a reason
// that may pass.
func judgeRejection(v health.Verdict, state configurationState, c kube.Condition) health.Verdict {
	why := c.Message
	if state.Summary != "" && !strings.Contains(state.Summary, c.Message) {
		why = state.Summary
	}
	v.Message = "rejects the configuration: " + why
	v.Evidence = []string{kube.ConditionLine(c)}
	if c.Reason != configurationError {
		v.Message = "cannot take over the configuration: " + why
		return v
	}
	v.State, v.Cause = health.Stuck, "the configuration is judged as a whole: until it is valid, "+
		"the one before stays in force"
	return v
}
