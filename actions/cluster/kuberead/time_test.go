package kuberead_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"

	"strata/actions/cluster/kuberead"
)

func TestServerTimeComesFromDateHeader(t *testing.T) {
	date := "Thu, 26 Nov 2026 10:00:00 GMT"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter,
		_ *http.Request) {
		w.Header().Set("Date", date)
	}))
	now, err := kuberead.ServerTime(t.Context(), &rest.Config{Host: server.URL})
	require.NoError(t, err)
	assert.Equal(t, "2026-11-26T10:00:00Z", now.Format(time.RFC3339))

	date = "soon"
	_, err = kuberead.ServerTime(t.Context(), &rest.Config{Host: server.URL})
	require.ErrorContains(t, err, `expected a Date header, found "soon" with 200 OK`)
	server.Close()
	_, err = kuberead.ServerTime(t.Context(), &rest.Config{Host: server.URL})
	require.ErrorContains(t, err, "ask the API server for its time")
}
