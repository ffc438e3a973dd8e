package scaffold

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestHostArgumentAcceptsUserAddressAndPort(t *testing.T) {
	for _, test := range []struct {
		text    string
		want    Asked
		wantErr string
	}{
		{text: "10.10.0.11", want: Asked{"root", "10.10.0.11", 22}},
		{text: "strata@10.10.0.11:2222", want: Asked{"strata", "10.10.0.11", 2222}},
		{text: "node-1.example.com:22", want: Asked{"root", "node-1.example.com", 22}},
		{text: "fd00::11", wantErr: "nodes need an IPv4 address"},
		{text: "[fd00::11]:22", wantErr: "nodes need an IPv4 address"},
		{text: "10.10.0.11:ssh", wantErr: `"ssh" is not a TCP port`},
		{text: "10.10.0.11:0", wantErr: `"0" is not a TCP port`},
		{text: "10.10.0.11:65536", wantErr: `"65536" is not a TCP port`},
		{text: `CORP\anna@10.10.0.11`, want: Asked{`CORP\anna`, "10.10.0.11", 22}},
		{text: "anna@corp.example@10.10.0.11:2222", want: Asked{"anna@corp.example", "10.10.0.11", 2222}},
		{text: "-o@10.10.0.11", wantErr: `"-o" is not a user name`},
		{text: "a;b@10.10.0.11", wantErr: `"a;b" is not a user name`},
		{text: "@10.10.0.11", wantErr: `"" is not a user name`},
		{text: "root@", wantErr: "has no address"},
		{text: "10.10.0.0/24", wantErr: "has no address"},
	} {
		t.Run(test.text, func(t *testing.T) {
			asked, err := ParseHost(test.text, "root", 22)
			if test.wantErr != "" {
				require.ErrorContains(t, err, test.wantErr)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, test.want, asked)
		})
	}
}

func TestPathInStackIsPortableBetweenUsers(t *testing.T) {
	t.Setenv("HOME", "/home/ada")
	for named, want := range map[string]string{
		"~/.ssh/strata": "~/.ssh/strata", "/home/ada/.ssh/strata": "~/.ssh/strata",
		"/home/ada/project/keys/strata": "keys/strata", "/etc/keys/strata": "/etc/keys/strata",
	} {
		path, err := PathInStack("/home/ada/project", named)
		require.NoError(t, err)
		assert.Equal(t, want, path)
	}
}
