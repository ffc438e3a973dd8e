package platform

import (
	"fmt"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"strata/config"
	"strata/internal/artifacts"
	"strata/internal/helmchart"
)

// warnOfUnknown warns of the user's values that a chart does not have, and of keys that the pinned
// K3s does not have where another is asked for. It is no mistake: a chart may take what it does not
// list, and a newer K3s more than an older one.
func (p Program) warnOfUnknown(ctx *pulumi.Context, cfg *config.Config, files *artifacts.Set) error {
	if p.Warn == nil {
		return nil
	}
	var messages []string
	for _, key := range cfg.K3s.UnlistedKeys() {
		messages = append(messages, key.Error())
	}
	for _, own := range cfg.OwnValues() {
		messages = append(messages, unknownValues(own, files)...)
	}
	for _, message := range messages {
		if err := p.Warn(ctx, message); err != nil {
			return fmt.Errorf("warning about unknown keys: %w", err)
		}
	}
	return nil
}

// unknownValues says of each value at the top that its chart does not have, or why that is not
// known.
func unknownValues(own config.Values, files *artifacts.Set) (messages []string) {
	var known []string
	chart, err := files.One(own.Artifact())
	if err == nil {
		known, err = helmchart.Keys(chart.Path)
	}
	if err != nil {
		return []string{fmt.Sprintf("strata:%s: not compared with what the chart has: %v", own.Key, err)}
	}
	for _, one := range own.Unknown(known) {
		messages = append(messages, one.Error())
	}
	return messages
}
