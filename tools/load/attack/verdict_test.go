package attack

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A run that sent too few requests proves nothing, so it must not succeed.
func TestReportFailsIfTooManyRequestsWereUnsent(t *testing.T) {
	for name, test := range map[string]struct {
		sent, unsent, lost int
		says               string
	}{
		"all":      {sent: 100},
		"nearly":   {sent: 95, unsent: 5},
		"nothing":  {says: "no request was sent"},
		"half":     {sent: 50, unsent: 50, says: "50 of 100 requests were not sent"},
		"and lost": {sent: 50, unsent: 50, lost: 1, says: "1 of 50 requests were lost"},
	} {
		report := Report{Unsent: test.unsent, Total: Phase{Sent: test.sent, Lost: test.lost}}
		err := report.Err()
		if test.says == "" {
			require.NoError(t, err, name)
			continue
		}
		require.ErrorContains(t, err, test.says, name)
	}
}
