package state

import (
	"io"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
	"github.com/stretchr/testify/require"
)

// bucket is the name of the bucket with the state.
const bucket = "strata-state"

// store is an S3-compatible store in this process.
type store struct {
	t       *testing.T
	backend *s3mem.Backend
	url     string
}

func newStore(t *testing.T) *store {
	t.Helper()
	backend := s3mem.New()
	require.NoError(t, backend.CreateBucket(bucket))
	server := httptest.NewServer(gofakes3.New(backend).Server())
	t.Cleanup(server.Close)
	return &store{t, backend, server.URL}
}

// login returns the backend URL of the state.
func (s *store) login() string {
	query := url.Values{"region": {"eu-central-1"}, "endpoint": {s.url}, "use_path_style": {"true"}}
	return "s3://" + bucket + "?" + query.Encode()
}

// objects returns the contents of all objects, by their keys.
func (s *store) objects() map[string]string {
	s.t.Helper()
	list, err := s.backend.ListBucket(bucket, nil, gofakes3.ListBucketPage{})
	require.NoError(s.t, err)
	contents := map[string]string{}
	for _, entry := range list.Contents {
		object, err := s.backend.GetObject(bucket, entry.Key, nil)
		require.NoError(s.t, err)
		text, err := io.ReadAll(object.Contents)
		require.NoError(s.t, err)
		contents[entry.Key] = string(text)
	}
	return contents
}

// locks returns the keys of the lock objects.
func (s *store) locks() []string {
	var found []string
	for key := range s.objects() {
		if strings.Contains(key, "/locks/") {
			found = append(found, key)
		}
	}
	return found
}
