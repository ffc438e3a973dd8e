package host

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"strata/config"
	"strata/health"
	"strata/internal/k3shost"
)

// ownershipPage is the page about hosts that belong to another owner, for hints.
const ownershipPage = "docs/host-ownership.md"

// ownerSettings returns the probe's variables with the expected owner. Without an expected owner,
// as before a stack's first run, any owner mark on the host counts as another stack's.
func ownerSettings(spec Spec) map[string]string {
	if spec.Owner == nil {
		return (&k3shost.Owner{}).Variables()
	}
	return spec.Owner.Variables()
}

// judgeOwner is Stuck if the host belongs to another cluster, or is another node of this cluster:
// Strata would overwrite its data, and later remove it.
func judgeOwner(host health.Host, spec Spec, f Facts) health.Verdict {
	whose, rest, _ := strings.Cut(f.Probe.Get("whose"), " ")
	known := spec.Owner != nil && spec.Owner.Cluster != ""
	switch whose {
	case "free":
		return health.Verdict{State: health.Ready, Message: "free"}
	case "ours":
		return health.Verdict{State: health.Ready, Message: "this cluster's " + host.Name}
	case "node":
		return health.Verdict{State: health.Stuck,
			Message: fmt.Sprintf("expected a free host or that of %s, found that of node %s",
				host.Name, rest),
			Cause: "the node was renamed, or two nodes changed places: the old name's removal " +
				"would take away what the new name installs",
			Hint: fmt.Sprintf("two steps: take %s out of strata:hosts.nodes and run pulumi up, "+
				"then add %s", rest, host.Name)}
	case "other":
		return judgeOtherOwner(host, spec, strings.Fields(rest))
	case "unmarked":
		if !known {
			return health.Verdict{State: health.Skipped,
				Message: "a K3s without a mark, and the cluster's token is not known here; up compares it"}
		}
		return health.Verdict{State: health.Stuck,
			Message: "expected none, found a K3s whose token is not this cluster's",
			Cause:   "the host is or was in another cluster",
			Hint: "if it is not needed: k3s-uninstall.sh or k3s-agent-uninstall.sh on " +
				"the host; see " + ownershipPage}
	}
	return health.Verdict{State: health.Waiting, Message: "not seen"}
}

// judgeOtherOwner judges a host that has another owner's mark. If the cluster's identity is
// unknown, as on another machine, it compares the names of stack and node, and is Skipped if they
// match.
func judgeOtherOwner(host health.Host, spec Spec, mark []string) health.Verdict {
	mark = append(mark, "", "", "", "")
	project, stack, node, cluster := mark[0], mark[1], mark[2], mark[3]
	is := fmt.Sprintf("node %s of stack %s of project %s (cluster %s)", node, stack, project,
		cluster)
	if o := spec.Owner; o != nil && o.Cluster == "" && o.Stack == stack && host.Name == node {
		return health.Verdict{State: health.Skipped,
			Message: "marked as " + is +
				"; the identity of this stack's cluster is not known here, up compares it"}
	}
	own := "STACK"
	if spec.Owner != nil && spec.Owner.Stack != "" {
		own = spec.Owner.Stack
	}
	return health.Verdict{State: health.Stuck,
		Message: "expected a free host or this cluster's, found " + is,
		Cause:   "its address was copied, or the state of its stack was lost",
		Hint: fmt.Sprintf("correct the address; if what is there is not needed: strata owner -s "+
			"%s %s --clear; see %s", own, host.Name, ownershipPage)}
}

// judgeFixed is Stuck if the configuration changes a value that K3s fixes when a cluster is
// created. Running servers would get a config.yaml that the cluster does not follow, and servers
// that join later would be refused.
func judgeFixed(_ health.Host, spec Spec, f Facts) health.Verdict {
	lines := f.Probe["k3s_config"]
	switch {
	case len(spec.Fixed) == 0:
		return health.Verdict{State: health.Skipped, Message: "only a server has such values"}
	case len(lines) == 0:
		return health.Verdict{State: health.Ready, Message: "no cluster yet"}
	}
	var keys map[string]any
	if err := yaml.Unmarshal([]byte(strings.Join(lines, "\n")), &keys); err != nil {
		return health.Verdict{State: health.Stuck,
			Message: "expected YAML in /etc/rancher/k3s/config.yaml, found: " +
				health.OneLine(err.Error()),
			Hint: "on " + f.Probe.Get("hostname") + ": less /etc/rancher/k3s/config.yaml"}
	}
	has := config.FixedValues(keys)
	var changed []string
	for _, name := range slices.Sorted(maps.Keys(spec.Fixed)) {
		if want := spec.Fixed[name]; has[name] != want {
			changed = append(changed, fmt.Sprintf("%s is %s, and the cluster has %s",
				config.FixedKey(name), want, has[name]))
		}
	}
	if len(changed) > 0 {
		return health.Verdict{State: health.Stuck,
			Message: "expected what the cluster was made with, found: " +
				strings.Join(changed, "; "),
			Cause: "K3s fixes these when a cluster is made; living servers would be given what " +
				"the cluster does not have",
			Hint: "take them back; other values need a new cluster: another stack, or pulumi destroy and up"}
	}
	return health.Verdict{State: health.Ready, Message: "as the cluster was made"}
}
