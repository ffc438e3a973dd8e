package svg

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestElementEscapesAnyText(t *testing.T) {
	for _, text := range []string{"plain", `<script>"&'`, "]]>", "\x00\x1b[31m", string([]byte{0xff}), "ü ✕"} {
		var out strings.Builder
		require.NoError(t,
			New("svg", "xmlns", Namespace, "aria-label", text).Add(nil,
				New("title").WithText(text)).Write(&out))
		decoder := xml.NewDecoder(strings.NewReader(out.String()))
		elements := 0
		for {
			token, err := decoder.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			require.NoError(t, err, "%q: %s", text, out.String())
			if _, start := token.(xml.StartElement); start {
				elements++
			}
		}
		assert.Equal(t, 2, elements)
		assert.NotContains(t, out.String(), "<script>")
	}
}

func TestNumRoundsToOneDecimal(t *testing.T) {
	assert.Equal(t, "1.3", Num(1.26))
	assert.Equal(t, "0.0", Num(0))
}
