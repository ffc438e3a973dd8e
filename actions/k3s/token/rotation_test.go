package token

import (
	"context"
	"encoding/json"
	"encoding/pem"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/internal/k3shost"
	"strata/internal/ssh/remote"
	"strata/internal/ssh/remote/sshtest"
)

// cluster fakes three servers. says are their outputs, and followed their outputs after a server
// was asked to rotate.
type cluster struct {
	says, followed map[string]string
	asked          []string
	fails          error
}

func (c *cluster) Run(_ context.Context, server remote.Target, script string) (string, error) {
	for _, secret := range []string{"token-one", "token-two", "token-three"} {
		if strings.Contains(script, secret) {
			return "", errors.New("a token is an argument on the host")
		}
	}
	if len(c.asked) > 0 && c.followed != nil {
		return c.followed[server.Name], nil
	}
	return c.says[server.Name], nil
}

func (c *cluster) Rotate(
	_ context.Context, server remote.Target, _ *k3shost.Owner, former, wanted string,
) error {
	c.asked = append(c.asked, server.Name+": "+former+" to "+wanted)
	return c.fails
}

func rotation() *Rotation {
	return &Rotation{
		Generation: 2, Tokens: []string{"token-one", "token-two", "token-three"},
		Owner:   &k3shost.Owner{Cluster: "00ff"},
		Servers: []remote.Target{{Name: "server-1"}, {Name: "server-2"}, {Name: "server-3"}},
	}
}

// ofAllServers returns said as the output of each server.
func ofAllServers(said string) map[string]string {
	return map[string]string{"server-1": said, "server-2": said, "server-3": said}
}

// but sets the output of one server in all, and returns all.
func but(all map[string]string, name, said string) map[string]string {
	all[name] = said
	return all
}

func TestRotationReplacesFormerTokens(t *testing.T) {
	first, second, third := Key("token-one"), Key("token-two"), Key("token-three")
	for name, test := range map[string]struct {
		says, followed map[string]string
		asked, fails   string
	}{
		"the first update": {ofAllServers(""), nil, "", ""},
		"from the previous token": {ofAllServers("data runs " + second),
			ofAllServers("data runs " + second + " " + third),
			"server-1: token-two to token-three", ""},
		"from the token before the previous one": {ofAllServers("data runs " + first),
			ofAllServers("data runs " + third), "server-1: token-one to token-three", ""},
		"after a completed rotation": {ofAllServers("data runs " + second + " " + third), nil,
			"", ""},
		"completed, and K3s is stopped on a server": {but(ofAllServers("data runs "+third), "server-2",
			"data "+third), nil, "", ""},
		"a server without data": {but(ofAllServers("data runs "+second), "server-1", ""),
			ofAllServers("data runs " + third), "server-2: token-two to token-three", ""},
		"K3s is stopped on a server": {but(ofAllServers("data runs "+second), "server-3",
			"data "+second), nil, "", "found it stopped on server-3"},
		"K3s was stopped on a server during the rotation": {but(ofAllServers("data runs "+third), "server-3",
			"data "+second), nil, "", "found it stopped on server-3"},
		"data that no token opens": {ofAllServers("data runs"), nil, "",
			"none of the stack's 3 tokens opens"},
		"a server that does not get the new key": {ofAllServers("data runs " + second),
			but(ofAllServers("data runs "+third), "server-2", "data runs "+second),
			"server-1: token-two to token-three", "server-2 has not got the new key from etcd"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), 3*pause/2+time.Second)
			defer cancel()
			c := &cluster{says: test.says, followed: test.followed}
			err := rotation().Run(ctx, c, 1, io.Discard)
			assert.Equal(t, test.asked, strings.Join(c.asked, "; "))
			if test.fails == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, test.fails)
			for _, secret := range []string{"token-one", "token-two", "token-three"} {
				assert.NotContains(t, err.Error(), secret)
			}
		})
	}
}

// A lower generation would bring a former token back. That token's key may still be in etcd's
// files, so the rotation would look complete, but K3s would not start with the token.
func TestRotationRefusesLowerGeneration(t *testing.T) {
	c := &cluster{says: ofAllServers("data runs " + Key("token-one"))}
	r := rotation()
	r.Generation, r.Tokens = 0, r.Tokens[:1]
	require.ErrorContains(t, r.Run(t.Context(), c, 1, io.Discard),
		"strata:k3s.tokenGeneration: expected at least 1, which the stack has, found 0")
	require.NoError(t, r.Run(t.Context(), c, 0, io.Discard))
	assert.Empty(t, c.asked)
}

func TestRotationVerifiesCAAndHidesTokens(t *testing.T) {
	status, said := http.StatusOK, ""
	var put map[string]string
	api := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, password, _ := r.BasicAuth()
		said = r.Method + " " + r.URL.Path + " " + user + ":" + password
		assert.NoError(t, json.NewDecoder(r.Body).Decode(&put))
		w.WriteHeader(status)
	}))
	t.Cleanup(api.Close)
	host := sshtest.Start(t)
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: api.Certificate().Raw})
	host.Handler = func(call sshtest.Call) int {
		assert.NotContains(t, call.Script, "former")
		assert.NotContains(t, call.Script, "wanted")
		_, err := call.Stdout.Write(ca)
		assert.NoError(t, err)
		return 0
	}
	rotate := func() error {
		return SSH{Key: host.PrivateKey()}.rotateAt(t.Context(), api.URL, host.Target(), nil,
			"former", "wanted")
	}
	require.NoError(t, rotate())
	assert.Equal(t, "PUT /v1-k3s/token server:former", said)
	assert.Equal(t, map[string]string{"newToken": "wanted"}, put)

	status = http.StatusInternalServerError
	require.ErrorContains(t, rotate(), "expected HTTP 200, found 500")

	said, ca = "", []byte("-----BEGIN CERTIFICATE-----\n")
	require.ErrorContains(t, rotate(), "certificate", "it is not this host's K3s that answers")
	assert.Empty(t, said, "no token was shown to it")
}
