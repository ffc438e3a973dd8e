package members_test

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"

	"strata/actions/k3s/members"
	"strata/actions/verb"
	"strata/internal/pulumi/self"
	"strata/internal/ssh/remote"
)

// Linux bounds one environment variable at 128 KiB (MAX_ARG_STRLEN).
const longestVariable = 128 << 10

func TestMembersOutputOf500NodesFitsEnvironmentVariable(t *testing.T) {
	set := members.Set{}
	for i := range 500 {
		// A key of the length of rsa-4096 with another modulus.
		modulus := make([]byte, 513)
		_, err := rand.Read(modulus[1:])
		require.NoError(t, err)
		modulus[1] |= 0x80
		key, err := ssh.ParsePublicKey(ssh.Marshal(struct {
			Name string
			E    []byte
			N    []byte
		}{ssh.KeyAlgoRSA, []byte{1, 0, 1}, modulus}))
		require.NoError(t, err)
		pin := string(ssh.MarshalAuthorizedKey(key))
		set.Members = append(set.Members, members.Member{Role: "agent", Target: remote.Target{
			Name: fmt.Sprintf("agent-%03d", i), Address: fmt.Sprintf("10.110.%d.%d", i/250, i%250),
			Port: 22, User: "strata", HostKey: pin,
			Jump: []remote.Hop{{Address: "bastion.example.org", Port: 22, User: "strata",
				HostKey: pin}},
		}})
	}
	var out, again bytes.Buffer
	require.NoError(t, verb.Call{Stdout: &out}.WriteOutput(set.Output()))
	require.NoError(t, verb.Call{Stdout: &again}.WriteOutput(set.Output()))
	assert.Equal(t, out.String(), again.String(), "the same set is the same output")
	assert.Less(t, len(self.PreviousOutput)+1+out.Len(), longestVariable/2)
	t.Logf("%d bytes", out.Len())
	t.Setenv(self.PreviousOutput, out.String())
	before, err := verb.Previous[members.Set](verb.Call{})
	require.NoError(t, err)
	assert.Equal(t, set.Output(), before)
	assert.Equal(t, set.Members[7:8], members.Left(set,
		members.Set{Members: append(append([]members.Member{}, set.Members[:7]...),
			set.Members[8:]...)}))
}

func TestOutputOfEarlierVersionIsRead(t *testing.T) {
	t.Setenv(self.PreviousOutput, `{"timeout":"1m0s","members":[{"name":"agent-1","address":"10.0.0.1","port":22,"user":"root","hostKey":"k","role":"agent"}]}`)
	before, err := verb.Previous[members.Set](verb.Call{})
	require.NoError(t, err)
	assert.Equal(t, "agent-1", before.Members[0].Name)
	t.Setenv(self.PreviousOutput, "neither")
	_, err = verb.Previous[members.Set](verb.Call{})
	require.ErrorContains(t, err, "previous output")
}
