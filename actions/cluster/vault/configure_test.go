package vault

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/hashicorp/vault/api"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRootCAHasNameConstraintsWhenConfigured(t *testing.T) {
	for name, permitted := range map[string][]string{"any name": nil, "one domain": {"example.org"}} {
		t.Run(name, func(t *testing.T) {
			var asked map[string]any
			listener := httptest.NewServer(
				http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if r.URL.Path == "/v1/"+RootMount+"/root/generate/internal" {
						assert.NoError(t, json.NewDecoder(r.Body).Decode(&asked))
					}
					w.WriteHeader(http.StatusNotFound) // there is no CA; other answers are not needed
					_, err := w.Write([]byte(`{"errors":[]}`))
					assert.NoError(t, err)
				}))
			defer listener.Close()
			client, err := api.NewClient(&api.Config{Address: listener.URL})
			require.NoError(t, err)
			_, err = ensureCAs(t.Context(), client,
				Issuing{CommonName: "root", Domain: "example.org", Permitted: permitted})
			require.ErrorContains(t, err, "make the root CA")
			assert.Equal(t, "root", asked["common_name"])
			assert.Equal(t, permitted != nil, asked["permitted_dns_domains"] != nil)
			assert.Equal(t, permitted != nil, asked["excluded_ip_ranges"] != nil)
		})
	}
}
