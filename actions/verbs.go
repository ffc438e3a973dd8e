// Package actions has the table of verbs that resources run, and the commands that resources get of
// it.
package actions

import (
	"strata/actions/cluster/canary"
	"strata/actions/cluster/crds"
	"strata/actions/cluster/gatewayclass"
	"strata/actions/cluster/kubeconfig"
	"strata/actions/cluster/kuberead"
	"strata/actions/cluster/reissue"
	"strata/actions/cluster/statefulset"
	"strata/actions/cluster/vault"
	"strata/actions/gate"
	"strata/actions/hosts/hostrun"
	"strata/actions/hosts/push"
	"strata/actions/hosts/sshkey"
	"strata/actions/k3s/credential"
	"strata/actions/k3s/members"
	"strata/actions/k3s/token"
	"strata/actions/k3s/upgrade"
	"strata/actions/machines/lifecycle"
	"strata/actions/machines/machineset"
	"strata/actions/stack/teardown"
)

// verbs are the commands of Strata's own resources. A text stands in the states of stacks, whose
// deletes run it: it stays as it is, whatever the function is called.
var verbs = []struct {
	text string
	verb Verb
}{
	{"gate", gate.Ask},
	{"gate --deleted", gate.AskAtDelete},

	{"keygen", sshkey.Generate},
	{"hostkey", sshkey.Scan},
	{"push", push.Send},
	{"host-run", hostrun.Create},
	{"host-run --delete", hostrun.Delete},

	{"machine-guard", machineset.Guard},
	{"vm image put", lifecycle.PutImage},
	{"vm image remove", lifecycle.RemoveImage},
	{"vm create", lifecycle.Create},
	{"vm create --existing", lifecycle.Update},
	{"vm delete", lifecycle.Delete},
	{"vm leaving", lifecycle.MarkForReplacement},
	{"vm leaving --back", lifecycle.Keep},
	{"vm leaving --begin", lifecycle.MarkForDeletion},

	{"admit", members.Admit},
	{"members", members.Update},
	{"rotate-token", token.Rotate},
	{"credential", credential.Provide},
	{"upgrade", upgrade.Upgrade},

	{"discard-guard --first", teardown.UpdateFirst},
	{"discard-guard", teardown.Update},
	{"teardown", teardown.Delete},

	{"cluster-identity", kubeconfig.Identify},
	{"nodes", kuberead.ListNodes},
	{"read", kuberead.ReadField},
	{"server-time", kuberead.ReadTime},
	{"crds apply", crds.Apply},
	{"crds remove", crds.Remove},
	{"class release", gatewayclass.Release},
	{"vault init", vault.Initialise},
	{"vault configure", vault.Prepare},
	{"unblock", statefulset.Unblock},
	{"reissue", reissue.Reissue},
	{"canary", canary.Try},
}
