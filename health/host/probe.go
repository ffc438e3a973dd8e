package host

import (
	_ "embed"
	"sort"
	"strconv"
	"strings"

	"strata/internal/k3shost"
	"strata/internal/ssh/remote"
)

// The scripts that run on hosts, each in one SSH session. They change nothing on the host.
var (
	//go:embed probe/ports.sh
	portsScript string
	//go:embed probe/firewall.sh
	firewallScript string
	//go:embed probe/host.sh
	hostOwnScript string
	//go:embed probe/unit.sh
	unitOwnScript string
	//go:embed probe/connect.sh
	connectScript string
	//go:embed probe/answer.sh
	answerScript string
	//go:embed probe/resolve.sh
	resolveScript string
	// PoolScript finds machines that already answer at the IP addresses of a pool.
	//go:embed probe/pool.sh
	PoolScript string
)

// hostScript observes a host for its gate, and unitScript observes its K3s unit.
var (
	hostScript = portsScript + firewallScript + k3shost.Ownership + k3shost.CertificatesFunction +
		hostOwnScript
	unitScript = k3shost.CertificatesFunction + k3shost.SysctlsFunction + unitOwnScript
)

// WithSettings returns a script that begins with the settings as shell variables.
func WithSettings(script string, settings map[string]string) string {
	names := make([]string, 0, len(settings))
	for name := range settings {
		names = append(names, name)
	}
	sort.Strings(names)
	var text strings.Builder
	for _, name := range names {
		text.WriteString(name + "=" + remote.Quote(settings[name]) + "\n")
	}
	return text.String() + script
}

// Block holds one observation of a probe script: the values of its key=value lines by key, in the
// order of the lines.
type Block map[string][]string

// Get returns the first value of a key; empty if it is missing.
func (b Block) Get(key string) string {
	if values := b[key]; len(values) > 0 {
		return values[0]
	}
	return ""
}

// number returns the first value of a key as a number. A missing or invalid value is -1, which no
// check accepts.
func (b Block) number(key string) int {
	n, err := strconv.Atoi(b.Get(key))
	if err != nil {
		return -1
	}
	return n
}

// Blocks collects lines into Blocks and passes each complete Block to Take.
type Blocks struct {
	current Block
	Take    func(Block)
}

// Line adds one line of a probe; the line "end" completes the Block.
func (b *Blocks) Line(text string) {
	if text == "end" {
		b.Take(b.current)
		b.current = nil
		return
	}
	if key, value, ok := strings.Cut(text, "="); ok {
		if b.current == nil {
			b.current = Block{}
		}
		b.current[key] = append(b.current[key], value)
	}
}
