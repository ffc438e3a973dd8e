package health

import (
	"bytes"
	"encoding/json"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/internal/text/seen"
)

func TestSeenLineHasTimeOfDecidingObservation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		result, _ := ask(t, script{{time.Second, []Verdict{waiting2}},
			{1500 * time.Millisecond, []Verdict{ready2}}})
		at, found := seen.Parse(SeenLine(result))
		require.True(t, found)
		assert.Equal(t, 2500*time.Millisecond, at.Sub(start))
		stored, err := json.Marshal(result)
		require.NoError(t, err)
		assert.False(t, bytes.Contains(stored, []byte(at.Format("15:04:05"))),
			"the state keeps the output, and must not keep the time")
	})
}

func TestTimedOutGateHasNoSeenLine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		result, _ := ask(t, script{{time.Second, []Verdict{waiting2}}})
		assert.Empty(t, SeenLine(result))
		result, _ = ask(t, script{{time.Second, []Verdict{stuck2}}})
		assert.NotEmpty(t, SeenLine(result), "stuck is seen")
	})
}
