package config

import (
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"
)

//go:embed k3s_flags.txt
var k3sFlagList string

// k3sFlags maps, for each command of K3s, each name of a flag to the flag's long name.
var k3sFlags = parseK3sFlags(k3sFlagList)

func parseK3sFlags(list string) map[Role]map[string]string {
	flags := map[Role]map[string]string{RoleServer: {}, RoleAgent: {}}
	for line := range strings.Lines(list) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.Fields(line)
		for role := range strings.SplitSeq(fields[0], ",") {
			for _, name := range fields[1:] {
				flags[Role(role)][name] = fields[1]
			}
		}
	}
	return flags
}

// k3sArgs are the additional keys of a role's config.yaml, with the configuration key that has
// them.
type k3sArgs struct {
	key  string
	role Role
	set  map[string]any
}

func (k K3s) args() []k3sArgs {
	return []k3sArgs{{field("k3s.serverArgs"), RoleServer, k.ServerArgs},
		{field("k3s.agentArgs"), RoleAgent, k.AgentArgs}}
}

// keysOf returns the written keys that set a flag, by any of its names. A final + appends.
func (a k3sArgs) keysOf(flag string) (keys []string) {
	for _, written := range slices.Sorted(maps.Keys(a.set)) {
		if k3sFlags[a.role][strings.TrimSuffix(written, "+")] == flag {
			keys = append(keys, written)
		}
	}
	return keys
}

// UnlistedKeys returns the keys of ServerArgs and AgentArgs for which the pinned K3s has no flag.
// Load refuses them, unless Version selects another K3s, which may have more flags. A K3s server
// ignores such a key, and an agent exits: the gate of the unit reads both in the journal.
func (k K3s) UnlistedKeys() (unlisted []Problem) {
	for _, args := range k.args() {
		for _, written := range slices.Sorted(maps.Keys(args.set)) {
			name := strings.TrimSuffix(written, "+")
			_, listed := k3sFlags[args.role][name]
			if _, isOwned := owned[name]; listed || isOwned || !flagName.MatchString(name) {
				continue
			}
			unlisted = append(unlisted, Problem{
				Key:  fmt.Sprintf("%s[%q]", args.key, written),
				Rule: fmt.Sprintf("is no key of a K3s %s %s", args.role, K3sVersion),
				Fix:  suggestFlag(name, args.role),
			})
		}
	}
	return unlisted
}

// takesUnlistedKeys reports whether the configuration selects a K3s other than that of the list.
func (k K3s) takesUnlistedKeys() bool { return k.Version != "" && k.Version != K3sVersion }

// suggestFlag returns the fix for a flag that a role does not have.
func suggestFlag(name string, role Role) string {
	if _, ofServers := k3sFlags[RoleServer][name]; role == RoleAgent && ofServers {
		return "only servers take it: write it into k3s.serverArgs"
	}
	best := nearest(name, slices.Collect(maps.Values(k3sFlags[role])))
	switch fix := owned[best]; {
	case fix != "":
		return fmt.Sprintf("if %s is meant, that belongs to Strata: %s", best, fix)
	case best != "":
		return fmt.Sprintf("did you mean %s?", best)
	}
	return fmt.Sprintf("k3s %s --help has the names; "+
		"an option of the API server is written as kube-apiserver-arg: [NAME=VALUE]", role)
}
