package preflight

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/health"
)

func TestWriteOnlyCountsChecksBehindFailedCheck(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, Write(&out, []Finding{
		{Subject: "a",
			Verdict: health.Verdict{Check: "ssh", State: health.Waiting, Message: "refused",
				Hint: "switch it on"}},
		{Subject: "a",
			Verdict: health.Verdict{Check: "disk", State: health.Waiting, Message: "not seen",
				After: []string{"ssh"}}},
		{Subject: "b", Verdict: health.Verdict{Check: "ssh", State: health.Ready,
			Message: "said by no gate"}},
		{Subject: "b",
			Verdict: health.Verdict{Check: "disk", State: health.Ready, Message: "nearly full",
				Hint: "free some space"}},
	}))
	var rows []string
	for line := range strings.Lines(out.String()) {
		rows = append(rows, health.OneLine(line))
	}
	assert.Equal(t, []string{
		"SUBJECT CHECK STATE FOUND", "a ssh Waiting refused", "a 1 checks Waiting behind the above",
		"b disk Ready nearly full", "b 1 checks Ready",
		"a, ssh: switch it on", "b, disk: free some space",
	}, rows)
}

func TestWriteReturnsOutputError(t *testing.T) {
	reader, writer := io.Pipe()
	require.NoError(t, reader.Close())
	require.Error(t, Write(writer, nil))
}
