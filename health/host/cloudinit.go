package host

import (
	"strings"

	"strata/health"
)

// judgeCloudInit waits until cloud-init has finished. It distinguishes the exit codes of cloud-init
// status: 0 is done, 2 (since 23.4) is done with recovered errors, 1 is failed. Without cloud-init,
// or if it is disabled, the check is Skipped.
func judgeCloudInit(host health.Host, _ Spec, f Facts) health.Verdict {
	evidence := cloudInitEvidence(f.Probe)
	switch f.Probe.Get("cloudinit") {
	case "absent":
		return health.Verdict{State: health.Skipped, Message: "cloud-init is not installed"}
	case "disabled":
		return health.Verdict{State: health.Skipped, Message: "cloud-init is disabled"}
	case "idle":
		return health.Verdict{State: health.Skipped, Message: "cloud-init did not run at this boot"}
	case "running":
		v := health.Verdict{State: health.Waiting, Message: "running"}
		if stage := f.Probe.Get("cloudinit_stage"); stage != "" {
			v.Message += ", stage " + stage
		}
		v.Hint = "on " + host.Name + ": tail -f /var/log/cloud-init-output.log"
		return v
	case "failed":
		return health.Verdict{State: health.Stuck,
			Message: "expected finished, found a failed stage", Evidence: evidence,
			Hint: "on " + host.Name + ": systemctl list-units --failed 'cloud-*'; cloud-init " +
				"status --long; less /var/log/cloud-init-output.log"}
	case "finished":
		return judgeCloudInitEnd(host, f, evidence)
	}
	return health.Verdict{State: health.Waiting, Message: "not seen"}
}

func judgeCloudInitEnd(host health.Host, f Facts, evidence []string) health.Verdict {
	hint := "on " + host.Name + ": cloud-init status --long; less /var/log/cloud-init-output.log"
	switch f.Probe.Get("cloudinit_code") {
	case "0":
		return health.Verdict{State: health.Ready, Message: "finished"}
	case "2":
		return health.Verdict{State: health.Ready,
			Message: "finished with warnings: " + cloudInitMessage(f.Probe), Hint: hint}
	case "1":
		return health.Verdict{State: health.Stuck,
			Message:  "expected exit code 0 or 2, found 1: " + cloudInitMessage(f.Probe),
			Evidence: evidence,
			Cause:    "the user-data or a package source is wrong; cloud-init does not try again by itself",
			Hint:     hint + "; correct the user-data, then cloud-init clean --reboot, or recreate the host"}
	}
	return health.Verdict{State: health.Waiting,
		Message:  "finished with an unknown exit code " + f.Probe.Get("cloudinit_code"),
		Evidence: evidence, Hint: hint}
}

// cloudInitMessage returns the errors of cloud-init status --long on one line; "no detail" without
// any.
func cloudInitMessage(b Block) string {
	var wrong []string
	for _, line := range b["cloudinit_said"] {
		key, value, found := strings.Cut(strings.TrimSpace(line), ":")
		noise := found && (key == "status" || key == "extended_status" ||
			key == "boot_status_code" || key == "last_update")
		if noise || found && strings.TrimSpace(value) == "" || strings.TrimSpace(line) == "" ||
			value == " []" || value == " {}" {
			continue
		}
		wrong = append(wrong, strings.TrimSpace(line))
	}
	if len(wrong) == 0 {
		return "no detail"
	}
	return strings.Join(wrong, "; ")
}

func cloudInitEvidence(b Block) []string {
	var evidence []string
	if message := b["cloudinit_said"]; len(message) > 0 {
		evidence = append(evidence, "cloud-init status --long:\n"+strings.Join(message, "\n"))
	}
	if log := b["cloudinit_log"]; len(log) > 0 {
		evidence = append(evidence, "/var/log/cloud-init.log:\n"+strings.Join(log, "\n"))
	}
	return evidence
}
