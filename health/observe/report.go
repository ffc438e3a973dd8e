package observe

import (
	"context"
	"reflect"

	"strata/health"
)

// ChangesOnly returns a function that calls report only with verdicts that differ from the previous
// ones.
func ChangesOnly(report func([]health.Verdict)) func([]health.Verdict) {
	var last []health.Verdict
	return func(verdicts []health.Verdict) {
		if !reflect.DeepEqual(verdicts, last) {
			last = verdicts
			report(verdicts)
		}
	}
}

// ReportNews calls judge after every signal on news, until ctx ends, and reports changed verdicts.
// It ignores nil from judge, which means that nothing was observed yet.
func ReportNews(
	ctx context.Context, news <-chan struct{}, judge func() []health.Verdict,
	report func([]health.Verdict),
) {
	report = ChangesOnly(report)
	for {
		select {
		case <-ctx.Done():
			return
		case <-news:
		}
		if verdicts := judge(); verdicts != nil {
			report(verdicts)
		}
	}
}
