package components

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"strata/config"
	"strata/internal/pulumi/rerun"
)

// ownValues has the user's values of a release, and a random word that changes when secret values
// change.
type ownValues struct {
	userValues
	// word is a random word that changes with values that are or may be secret. A digest is not
	// used for secret values, because a short secret could be guessed from it. Nil if no value is
	// secret.
	word pulumi.StringInput
}

// newOwnValues returns the user's values of a release. If the values are or may be secret, it
// registers their random word.
func newOwnValues(
	ctx *pulumi.Context, name string, values userValues, opts ...pulumi.ResourceOption,
) (own ownValues, err error) {
	own.userValues = values
	var text pulumi.StringOutput
	switch {
	case values.later != nil:
		text = pulumi.JSONMarshal(values.later.ToMapOutput())
	case values.Secret:
		text = pulumi.JSONMarshal(values.Tree)
	default:
		return own, nil
	}
	keeper := pulumi.StringMap{"values": pulumi.ToSecret(text).(pulumi.StringOutput)}
	word, err := rerun.Attempt(ctx, name+"-values", keeper, opts...)
	if err != nil {
		return own, fmt.Errorf("%s: %w", values.Key, err)
	}
	own.word = pulumi.Unsecret(word).(pulumi.StringOutput)
	return own, nil
}

// revision joins ours, a revision without the user's values, with the digest or word of the user's
// values.
func (v ownValues) revision(ours string) pulumi.StringInput {
	switch {
	case v.word != nil:
		return pulumi.Sprintf("%s %s", ours, v.word)
	case v.Tree == nil:
		return pulumi.String(ours)
	}
	return pulumi.String(digestOf(ours, v.Tree))
}

// mergeValues merges Strata's values of a chart with the user's. Objects are merged recursively.
// The user's value replaces a default of Strata. It returns an error if both set any other value,
// which the validation in package config should have reported.
func mergeValues(ours object, own config.Values) (object, error) {
	if own.Tree == nil {
		return ours, nil
	}
	m := merging{own: own}
	merged := m.object("", ours, own.Tree)
	if len(m.clashes) > 0 {
		slices.Sort(m.clashes)
		return nil, fmt.Errorf("strata:%s: Strata sets %s as well: remove it there, and report "+
			"that no rule of the configuration says so",
			own.Key, strings.Join(m.clashes, ", "))
	}
	return merged, nil
}

// merging has the user's values for mergeValues. clashes are the paths that Strata and the user
// both set.
type merging struct {
	own     config.Values
	clashes []string
}

func (m *merging) object(path string, ours, theirs object) object {
	merged := maps.Clone(ours)
	for name, value := range theirs {
		at := config.ValuePath(path, name)
		our, both := ours[name]
		ourObject, isOurs := our.(object)
		theirObject, isTheirs := value.(object)
		switch {
		case !both || m.own.GivesWay(at):
			merged[name] = m.mark(value)
		case isOurs && isTheirs:
			merged[name] = m.object(at, ourObject, theirObject)
		default:
			m.clashes = append(m.clashes, at)
		}
	}
	return merged
}

// mark returns a user's value. If any string of the values is secret, all strings become secret.
func (m *merging) mark(value any) any {
	switch v := value.(type) {
	case object:
		return m.object("", object{}, v)
	case array:
		list := make(array, 0, len(v))
		for _, one := range v {
			list = append(list, m.mark(one))
		}
		return list
	case string:
		if m.own.Secret {
			return pulumi.ToSecret(pulumi.String(v))
		}
	}
	return value
}

// patientLiveness returns chart values for a liveness probe that tolerates slow answers of a busy
// host. A needless restart interrupts service: after a restart of a MetalLB speaker, connections to
// the addresses that it announces break. The values are those of the controller in cert-manager's
// chart.
func patientLiveness() object {
	return object{"timeoutSeconds": 15, "failureThreshold": 8}
}
