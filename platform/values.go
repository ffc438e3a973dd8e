package platform

import (
	"errors"
	"fmt"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"strata/artifacts"
	"strata/artifacts/helmchart"
	"strata/config"
)

// checkKeys returns an error for chart values that break a chart's schema, which Helm would only
// refuse in the middle of an update. It only warns of values that values.yaml lacks, because a
// chart may accept them. It also warns of keys that the pinned K3s lacks if the configured K3s is
// another version, which may have them.
func (p Program) checkKeys(ctx *pulumi.Context, cfg *config.Config, files *artifacts.Set) error {
	var refused []error
	var messages []string
	for _, key := range cfg.K3s.UnlistedKeys() {
		messages = append(messages, key.Error())
	}
	for _, own := range cfg.OwnValues() {
		warnings, problems := compareValues(own, files)
		messages = append(messages, warnings...)
		for _, one := range problems {
			refused = append(refused, one)
		}
	}
	for _, message := range messages {
		if p.Warn == nil {
			break
		}
		if err := p.Warn(ctx, message); err != nil {
			return fmt.Errorf("warning about keys: %w", err)
		}
	}
	if len(refused) > 0 {
		return fmt.Errorf("configuration of stack %s:\n%w", cfg.Stack, errors.Join(refused...))
	}
	return nil
}

// compareValues returns a warning for each top-level value that the chart does not have. It returns
// a problem for each value that breaks the schema, or that is a text such as yes instead of a
// boolean. If the chart cannot be read, it returns a warning with the reason.
func compareValues(own config.Values, files *artifacts.Set) (warnings []string,
	refused []config.Problem) {
	file, err := files.Get(own.Artifact())
	var chart *helmchart.Chart
	if err == nil {
		chart, err = helmchart.Read(file.Path)
	}
	if err != nil {
		return []string{fmt.Sprintf("strata:%s: not compared with what the chart has: %v", own.Key,
			err)}, nil
	}
	refused = own.BooleanWords(chart.Defaults())
	refusals, err := chart.Refusals(own.Tree)
	if err != nil {
		warnings = append(warnings, fmt.Sprintf(
			"strata:%s: not held against the chart's schema: %v", own.Key, err))
	}
	for _, one := range refusals {
		if problem, given := own.SchemaProblem(one.Path, one.Rule, one.Keyword); given {
			refused = append(refused, problem)
		}
	}
	if len(refused) > 0 {
		return warnings, refused // an unknown value may be one of these
	}
	for _, one := range own.Unknown(chart.Keys()) {
		warnings = append(warnings, one.Error())
	}
	return warnings, nil
}
