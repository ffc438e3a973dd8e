package healthtest

import (
	"fmt"
	"io"
	"strings"
	"time"

	"strata/internal/ssh/remote/sshtest"
)

// HealthyHost returns the probe's output on a healthy host, for tests to change.
func HealthyHost() map[string][]string {
	return map[string][]string{
		"os": {"Debian GNU/Linux 12 (bookworm)"}, "arch": {"x86_64"}, "kernel": {"6.1.0-18-amd64"},
		"uid": {"0"}, "systemd": {"yes"},
		"hostname": {"server-1"}, "machine_id": {"5fbd574cdc6f9eaf2584dfc3b3f6b14e"},
		"memory_mib": {"3900"}, "memory_cgroup": {"yes"}, "cgroup": {"v2"},
		"ntp": {"yes"}, "cloudinit": {"finished"}, "cloudinit_code": {"0"},
		"manager": {"systemd-networkd.service active enabled"},
		"route":   {"eth0"}, "disk_mib": {"30000"}, "disk_at": {"/"},
		"module": {"br_netfilter loadable", "overlay loaded", "ip_vs missing"},
		"port":   {"6443 free", "10250 free"}, "program": {"keepalived"}, "whose": {"free"},
	}
}

// Probing returns a handler that imitates the probe on a host: it writes blocks of facts, and then
// stays open until the caller disconnects.
func Probing(blocks ...map[string][]string) sshtest.Handler {
	return func(call sshtest.Call) int {
		for _, block := range blocks {
			WriteBlock(call.Stdout, block)
		}
		<-call.Gone
		return 0
	}
}

// WriteBlock writes one observation as a probe does.
func WriteBlock(to io.Writer, block map[string][]string) {
	var text strings.Builder
	for key, values := range block {
		for _, value := range values {
			fmt.Fprintf(&text, "%s=%s\n", key, value)
		}
	}
	_, _ = io.WriteString(to, text.String()+"end\n")
}

// HealthyNow returns HealthyHost's block with the current time and the given changes.
func HealthyNow(changes map[string][]string) map[string][]string {
	block := HealthyHost()
	block["time"] = []string{fmt.Sprint(time.Now().Unix())}
	for key, values := range changes {
		block[key] = values
	}
	return block
}
