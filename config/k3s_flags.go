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

// k3sArgs are a user's additional keys of a role's config.yaml. key is their configuration key.
type k3sArgs struct {
	key  string
	role Role
	set  map[string]any
}

func (k K3s) args() []k3sArgs {
	return []k3sArgs{{field("k3s.serverArgs"), RoleServer, k.ServerArgs},
		{field("k3s.agentArgs"), RoleAgent, k.AgentArgs}}
}

// keysOf returns the user's keys that set a flag, by any of the flag's names, with or without a
// final +.
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
// ignores an unknown key, and an agent exits. The server gate reads the journal, which shows both.
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

// takesUnlistedKeys reports whether the configuration selects a K3s other than the pinned one.
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
