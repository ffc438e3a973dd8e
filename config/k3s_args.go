package config

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// owned maps each key of K3s's config.yaml that Strata writes or relies on to the fix for users who
// set it. The literal lists the keys by their fix.
var owned = ownedKeys(map[string][]string{
	"Strata generates the token": {"token", "token-file", "agent-token", "agent-token-file"},
	"Strata decides which server bootstraps and which join": {
		"server", "cluster-init", "cluster-reset", "cluster-reset-restore-path",
		"datastore-endpoint", "disable-agent",
		"disable-apiserver", "disable-controller-manager", "disable-etcd", "disable-scheduler",
	},
	"the gates expect K3s's default": {"apiserver-port", "config", "data-dir",
		"https-listen-port", "supervisor-port", "write-kubeconfig"},
	"the kubeconfig stays readable by root": {"write-kubeconfig-group", "write-kubeconfig-mode"},
	"use hosts.nodes": {"node-ip", "node-label", "node-name", "node-taint",
		"with-node-id"},
	"use k3s.tlsSANs":          {"tls-san"},
	"use k3s.flannelInterface": {"flannel-iface"},
	"use k3s.snapshots": {"etcd-snapshot-schedule-cron",
		"etcd-snapshot-retention"},
	"the restore expects K3s's default": {"etcd-snapshot-dir"},
	"use k3s.disable":                   {"disable"},
	"use k3s.clusterCIDR":               {"cluster-cidr"},
	"use k3s.serviceCIDR":               {"service-cidr"},
	"use k3s.secretsEncryption":         {"secrets-encryption"},
})

// ownedOptions maps options of Kubernetes programs to the keys of owned with the same effect. If an
// option is owned in one program only, that program's key precedes it.
var ownedOptions = map[string]string{
	"hostname-override": "node-name", "node-ip": "node-ip", "node-labels": "node-label",
	"register-with-taints": "node-taint", "cluster-cidr": "cluster-cidr",
	"service-cluster-ip-range": "service-cidr", "encryption-provider-config": "secrets-encryption",
	"etcd-servers": "datastore-endpoint", "data-dir": "data-dir",
	"kube-apiserver-arg secure-port": "https-listen-port",
}

// OwnedArgs returns the keys that K3s.ServerArgs and K3s.AgentArgs must not have, each with its
// fix.
func OwnedArgs() map[string]string { return maps.Clone(owned) }

func ownedKeys(byFix map[string][]string) map[string]string {
	result := map[string]string{}
	for fix, keys := range byFix {
		for _, key := range keys {
			result[key] = fix
		}
	}
	for name, key := range k3sFlags[RoleServer] {
		if fix, isOwned := result[key]; isOwned {
			result[name] = fix
		}
	}
	return result
}

// flagName matches the name of a flag, which is also a key in config.yaml. In config.yaml, a final
// + appends values to those of other files.
var flagName = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*\+?$`)

func (k K3s) checkArgs(ps *problems) {
	for _, args := range k.args() {
		args.check(ps)
	}
	if !k.takesUnlistedKeys() {
		*ps = append(*ps, k.UnlistedKeys()...)
	}
}

func (a k3sArgs) check(ps *problems) {
	for _, written := range slices.Sorted(maps.Keys(a.set)) {
		at, name := fmt.Sprintf("%s[%q]", a.key, written), strings.TrimSuffix(written, "+")
		ps.addIf(!flagName.MatchString(written), at, "", "is not a key of K3s's config.yaml",
			"write the long flag's name, without dashes before it")
		if fix, ok := owned[name]; ok {
			rule := "belongs to Strata"
			if long := k3sFlags[RoleServer][name]; long != name {
				rule = "is another name of " + long + ", which belongs to Strata"
			}
			ps.add(at, "", rule, fix)
		}
		for _, other := range a.keysOf(k3sFlags[a.role][name]) {
			ps.addIf(strings.TrimSuffix(other, "+") < name, at, "",
				"sets the same flag as "+other, "keep one of them")
		}
		a.checkOptions(ps, at, written)
		ps.addIf(isBooleanWord(a.set[written]), at, "", "is a text in a stack file, which K3s refuses",
			"write true or false")
		ps.addIf(!scalars(a.set[written]), at, "", "is neither a value nor a list of values",
			"K3s's config.yaml has no nested keys")
	}
}

// checkOptions refuses options that belong to Strata in a key such as kubelet-arg, because they
// would override K3s's values (k3s-io/k3s pkg/util/args.go, GetArgs).
func (a k3sArgs) checkOptions(ps *problems, at, written string) {
	program := strings.TrimSuffix(written, "+")
	if !strings.HasSuffix(program, "-arg") {
		return
	}
	for _, text := range texts(a.set[written]) {
		option, _, _ := strings.Cut(strings.TrimPrefix(text, "--"), "=")
		option = strings.ReplaceAll(strings.TrimRight(option, "-+"), "_", "-")
		key := cmp.Or(ownedOptions[option], ownedOptions[program+" "+option])
		ps.addIf(key != "", at, "", "sets "+option+", which belongs to Strata", owned[key])
	}
}

// scalars reports whether a value is a text, a number or a boolean, or a list of these.
func scalars(value any) bool {
	list, ok := value.([]any)
	if !ok {
		list = []any{value}
	}
	return !slices.ContainsFunc(list, func(element any) bool {
		switch element.(type) {
		case string, bool, int64, float64:
			return false
		}
		return true
	})
}
