package rollout

import (
	"strata/health"
	"strata/health/kube"
	"strata/health/observe"
	"strata/health/rights"
)

// rolloutFacts describes the workloads, or why they cannot be read.
type rolloutFacts struct {
	kube.APIFault
	Workloads []kube.WorkloadFacts `json:"workloads,omitempty"`
	Rights    []rights.Facts       `json:"rights,omitempty"`
	Redis     *redisFacts          `json:"redis,omitempty"`
}

// judgeRollout judges for each workload whether its newest revision serves and no older one is
// left. An answer proves only that some revision works: after an upgrade to an image that does not
// exist, the previous revision still answers.
func judgeRollout(spec Spec, f rolloutFacts) []health.Verdict {
	if f.Fault != nil {
		return []health.Verdict{f.Fault.Verdict("api", f.Seconds >= observe.NoticeSeconds)}
	}
	verdicts := make([]health.Verdict, 0, len(f.Workloads))
	for _, workload := range f.Workloads {
		verdicts = append(verdicts, kube.JudgeWorkload(workload))
	}
	verdicts = append(verdicts, rights.Judge(f.Rights)...)
	if f.Redis != nil {
		verdicts = append(verdicts, judgeRedis(*spec.Redis, *f.Redis))
	}
	return verdicts
}
