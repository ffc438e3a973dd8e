package seen

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestParseReadsOnlyLinesInFormatOfLine(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 6789, time.UTC)
	read, found := Parse(Line("nodes", at))
	assert.True(t, found)
	assert.Equal(t, at, read)
	for _, line := range []string{"", "nodes: ready after 1s", "nodes" + mark + "noon"} {
		_, found := Parse(line)
		assert.False(t, found, line)
	}
}
