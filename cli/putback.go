package cli

import (
	"errors"
	"fmt"
	"time"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"strata/actions/stack/drift"
	"strata/components"
	"strata/config"
	"strata/internal/pulumi/stackstate"
)

// findDrift compares the hosts and the cluster with the stack's state, and warns of each
// difference. It returns what the update puts back. If a comparison fails, it only warns.
func findDrift(ctx *pulumi.Context, stack string, settings config.Drift) (*components.PutBack, error) {
	found := &components.PutBack{}
	if settings.Mode == config.DriftOff {
		return found, nil
	}
	began := time.Now()
	state, err := stackstate.CommandLine(".").Read(ctx.Context(), stack)
	if errors.Is(err, stackstate.ErrNoStack) {
		return found, nil
	}
	var report *drift.Report
	if err == nil {
		// Do not close the tunnel: the update puts objects back through it.
		report, _, err = drift.Find(ctx.Context(), state, settings.Ignore)
	}
	if err != nil {
		return found, ctx.Log.Warn(fmt.Sprintf("drift was not looked for: %v", err), nil)
	}
	for _, unanswered := range report.Unanswered {
		if err := ctx.Log.Warn("drift: not compared: "+unanswered.Error(), nil); err != nil {
			return nil, err
		}
	}
	ends := "an update puts it back"
	if settings.Mode == config.DriftReport {
		ends = "strata:drift.mode is report, so that an update leaves it"
	}
	for _, one := range report.Differences {
		text := "drift: " + one.String()
		if one.Kept == "" {
			text += "; " + ends
		}
		if err := ctx.Log.Warn(text, nil); err != nil {
			return nil, err
		}
	}
	if settings.Mode == config.DriftRepair {
		if !ctx.DryRun() { // here and not in a hook, because the update may delete a release
			err = report.RecordReleases(ctx.Context())
		}
		if err != nil {
			err = ctx.Log.Warn("drift: "+err.Error(), nil)
		}
		found.Reasons, found.Objects = report.Reasons(began, state), report.PutBack
	}
	return found, err
}
