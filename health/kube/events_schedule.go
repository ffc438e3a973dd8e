package kube

import (
	"regexp"
	"strings"
)

// unschedulable explains the scheduler's messages about nodes that do not suit a Pod (kubernetes
// pkg/scheduler/framework/plugins).
var unschedulable = []struct {
	words *regexp.Regexp
	says  string
}{
	{regexp.MustCompile(`persistentvolumeclaim "[^"]+" not found`),
		"the claim that it names does not exist"},
	{regexp.MustCompile(`unbound immediate PersistentVolumeClaims`),
		"its claim has no volume (kubectl get pvc)"},
	{regexp.MustCompile(`Insufficient |Too many pods`),
		"the nodes have less free than it requests"},
	{regexp.MustCompile(`were unschedulable`), "nodes are cordoned (kubectl uncordon)"},
	{regexp.MustCompile(`node\.kubernetes\.io/(disk|memory|pid)-pressure`),
		"a node is short of disk, memory or processes"},
	{regexp.MustCompile(`untolerated taint`), "nodes have a taint that it does not tolerate"},
	{regexp.MustCompile(`didn't match Pod's node (affinity|selector)`),
		"its nodeSelector or affinity names labels that nodes do not have"},
	{regexp.MustCompile(`didn't have free ports`), "another Pod has its host port"},
	{regexp.MustCompile(`anti-affinity rules|topology spread`),
		"its own rules keep it off nodes that have another of its kind"},
}

// whyUnschedulable returns the known reasons in a scheduler's message, as text to append to a
// cause; empty if there are none. It lists all reasons, because the nodes may have different ones.
func whyUnschedulable(message string) string {
	var says []string
	for _, known := range unschedulable {
		if known.words.MatchString(message) {
			says = append(says, known.says)
		}
	}
	if len(says) == 0 {
		return ""
	}
	return ": " + strings.Join(says, "; ")
}
