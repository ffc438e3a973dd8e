package preflight

import (
	"bytes"
	"io"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/health"
)

func TestFindingsHideWhatIsBehindAFailure(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, Write(&out, []Finding{
		{Subject: "a", Verdict: health.Verdict{Check: "ssh", State: health.Waiting, Message: "refused", Hint: "switch it on"}},
		{Subject: "a", Verdict: health.Verdict{Check: "disk", State: health.Waiting, Message: "not seen", After: []string{"ssh"}}},
		{Subject: "b", Verdict: health.Verdict{Check: "ssh", State: health.Ready}},
	}))
	text := out.String()
	assert.Contains(t, text, "refused")
	assert.NotContains(t, text, "not seen")
	assert.Contains(t, text, "behind the above")
	assert.Contains(t, text, "a, ssh: switch it on")
}

func TestATableThatCannotBeWrittenIsAnError(t *testing.T) {
	reader, writer := io.Pipe()
	require.NoError(t, reader.Close())
	require.Error(t, Write(writer, nil))
}
