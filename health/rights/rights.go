package rights

import (
	"fmt"

	"strata/health"
	"strata/health/observe"
)

// Facts says which rights of a release's roles its ServiceAccounts lack, and which ServiceAccounts'
// tokens the API server refuses.
type Facts struct {
	// Release is namespace/name.
	Release string `json:"release"`
	// Needs says why the rights are not known: the caller lacks a right, or there is no record.
	Needs  string `json:"needs,omitempty"`
	Losses []loss `json:"losses,omitempty"`
	// Refusals are the ServiceAccounts whose tokens the API server refuses.
	Refusals []refusal `json:"refusals,omitempty"`
	// Seconds is the number of seconds for which Losses and Refusals have been the same.
	Seconds int `json:"seconds,omitempty"`
}

// loss describes a ServiceAccount that lacks rights of one of the release's bindings.
type loss struct {
	// Account is namespace/name of the ServiceAccount.
	Account string `json:"account"`
	// Right is one of the rights that the API server denies the account, such as "list services".
	Right string `json:"right"`
	// Object is the role or binding that explains the loss. Change says whether it is missing or
	// changed.
	Object string `json:"object"`
	Change string `json:"change"`
}

func (l loss) String() string {
	return fmt.Sprintf("ServiceAccount %s may not %s: %s %s", l.Account, l.Right, l.Object,
		l.Change)
}

// shown limits the losses in the evidence.
const shown = 10

// Judge judges for each release whether its ServiceAccounts have the rights of its roles.
func Judge(all []Facts) []health.Verdict {
	verdicts := make([]health.Verdict, 0, len(all))
	for _, f := range all {
		verdicts = append(verdicts, f.judge())
	}
	return verdicts
}

func (f Facts) judge() health.Verdict {
	v := health.Verdict{Check: "rights of release " + f.Release, State: health.Ready}
	switch {
	case f.Needs != "":
		v.State, v.Message = health.Skipped, "not asked: needs "+f.Needs
		return v
	case len(f.Losses)+len(f.Refusals) == 0:
		return v
	}
	if v.State = health.Waiting; f.Seconds >= observe.StartupSeconds {
		v.State = health.Stuck
	}
	for _, one := range f.Refusals {
		v.Evidence = append(v.Evidence, one.String())
	}
	for _, one := range f.Losses[:min(len(f.Losses), shown)] {
		v.Evidence = append(v.Evidence, one.String())
	}
	if len(f.Refusals) > 0 {
		v.Message, v.Cause, v.Hint = f.Refusals[0].explain()
		if len(f.Refusals[0].Pods) > 0 { // a rollout may be about to replace them
			v.State = health.Waiting
		}
		return v
	}
	first := f.Losses[0]
	v.Message = fmt.Sprintf("expected ServiceAccount %s to have the rights of its roles, found "+
		"that it may not %s", first.Account, first.Right)
	if more := len(f.Losses) - 1; more > 0 {
		v.Message += fmt.Sprintf("; %d more of the release's roles are not in effect", more)
	}
	v.Cause = fmt.Sprintf("%s of the release %s", first.Object, first.Change)
	v.Hint = "pulumi up puts it back"
	return v
}
