package pulumitest

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"

	"strata/actions/k3s/credential"
	"strata/actions/stack/teardown"
)

// These are outputs of the fake providers. Token and Kubeconfig are secret, and tests check that
// they are nowhere in plain.
const (
	// Token is the cluster's join token.
	Token = "join-token-that-must-stay-secret-0123456789abcdef"
	// ClientKey is the secret part of kubeconfigs, of K3s's own and of an existing cluster's.
	ClientKey = "client+key+data+that+must+stay+secret+++"
	// ClusterID is the cluster's identity.
	ClusterID = "00112233445566ff"
	// CA is the CA of an existing cluster, in base64.
	CA = "YXV0aG9yaXR5"
	// Kubeconfig is K3s's kubeconfig on the first server.
	Kubeconfig = "apiVersion: v1\nclusters:\n- cluster:\n    server: https://127.0.0.1:6443\n " +
		" name: default\nusers:\n- name: default\n  user:\n    client-key-data: " + ClientKey + "\n"
)

// Answers are the outputs of the program's commands and random resources.
type Answers struct {
	// MachineKey is the private key that `strata keygen` prints.
	MachineKey string
	// HostKey is the public key of every host, in authorized_keys form.
	HostKey string
	// Password is the value of every generated password. Default: Token.
	Password string
	// Cluster is the generated identity of the cluster. Default: ClusterID.
	Cluster string
}

// NewAnswers generates the keys for a test.
func NewAnswers(t *testing.T) *Answers {
	t.Helper()
	host, err := ssh.ParsePrivateKey([]byte(PrivateKey(t)))
	require.NoError(t, err)
	return &Answers{MachineKey: PrivateKey(t),
		HostKey: string(ssh.MarshalAuthorizedKey(host.PublicKey()))}
}

// Outputs returns the outputs of a resource: its inputs, and values that its provider adds.
func (a *Answers) Outputs(r Resource) resource.PropertyMap {
	outputs := maps.Clone(r.Inputs)
	if outputs == nil {
		outputs = resource.PropertyMap{}
	}
	switch r.Type {
	case "random:index/randomId:RandomId":
		outputs["hex"] = resource.NewProperty(cmp.Or(a.Cluster, ClusterID))
		if keepers := r.Inputs["keepers"]; keepers.IsObject() { // other keepers give another value
			outputs["hex"] = resource.NewProperty(
				fmt.Sprintf("%x", sha256.Sum256([]byte(r.Name+keepers.String())))[:10])
		}
	case "random:index/randomPassword:RandomPassword":
		outputs["result"] = resource.MakeSecret(resource.NewProperty(cmp.Or(a.Password, Token)))
		outputs["bcryptHash"] = resource.MakeSecret(
			resource.NewProperty("$2a$10$" + strings.Repeat("x", 53)))
	case "command:local:Command":
		outputs["stdout"] = resource.NewProperty(a.stdout(r))
		for _, key := range r.SecretOutputs {
			outputs[resource.PropertyKey(key)] = resource.MakeSecret(
				outputs[resource.PropertyKey(key)])
		}
	}
	return outputs
}

// issued returns the answer to a stack's request for a credential: the requested user, with another
// certificate for each generation.
func issued(stdin string) string {
	var request credential.Request
	if err := json.Unmarshal([]byte(stdin), &request); err != nil {
		return "" // not known yet
	}
	kubeconfig := Kubeconfig + "    client-certificate-data: " +
		base64.StdEncoding.EncodeToString([]byte(strconv.FormatInt(request.Generation, 10))) + "\n"
	printed, err := json.Marshal(credential.Issued{
		User: request.User, Lifetime: request.Lifetime, Generation: request.Generation,
		Kubeconfig: kubeconfig, Reader: kubeconfig,
	})
	if err != nil {
		panic(err) // texts and numbers always encode
	}
	return string(printed)
}

// stdout returns a command's output.
func (a *Answers) stdout(r Resource) string {
	switch Subcommand(r.Text("create")) {
	case "keygen":
		return a.MachineKey
	case "hostkey":
		return a.HostKey
	case "vm create":
		return `{"name":"strata-` + r.Name + `","id":"101","mac":"52:54:00:00:00:01"}`
	case "nodes":
		return `[{"name":"kind-control-plane","role":"server","address":"172.18.0.2"}]`
	case "server-time":
		return "2026-01-01T00:00:00Z\n"
	case "members":
		return r.Text("stdin")
	case "discard-guard", "discard-guard --first":
		var guard teardown.Guard
		if err := json.Unmarshal([]byte(r.Text("stdin")), &guard); err != nil {
			return "" // not known yet
		}
		printed, err := json.Marshal(guard.Objects)
		if err != nil {
			panic(err) // texts always encode
		}
		return string(printed)
	case "credential":
		return issued(r.Text("stdin"))
	}
	return ""
}
