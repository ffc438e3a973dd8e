package scaffold

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"text/template"
	"unicode"

	"golang.org/x/crypto/ssh"
	"sigs.k8s.io/yaml"

	"strata/config"
)

//go:embed stack.yaml.tmpl
var stackTemplate string

var stackFile = template.Must(template.New("stack").Funcs(template.FuncMap{
	"scalar": scalar, "comment": comment, "clashes": clashList, "keyName": keyName,
	"join": func(texts []string) string { return strings.Join(texts, ", ") },
}).Parse(stackTemplate))

// Render returns the proposal as a stack file.
func (p Proposal) Render() ([]byte, error) {
	var text bytes.Buffer
	err := stackFile.Execute(&text, struct {
		Proposal
		Count, Roles, K3s, Pinned string
	}{p, p.count(), p.roles(), cmp.Or(p.K3s, config.K3sVersion), config.K3sVersion})
	return text.Bytes(), err
}

// Secret is a value that the login needed and that the stack file must get, encrypted, from the
// user.
type Secret struct {
	What string
	// Command is the command that prompts for the secret and writes it into the stack file.
	Command string
}

// Secrets returns the secrets that the stack needs.
func (p Proposal) Secrets() []Secret {
	command := "pulumi config set --secret --path -s " + p.Stack + " strata:hosts.ssh."
	var secrets []Secret
	if p.SSH.Passphrase != "" {
		secrets = append(secrets, Secret{"The private key's passphrase", command + "passphrase"})
	}
	if p.SSH.SudoPassword != "" {
		secrets = append(secrets, Secret{"What sudo asks for", command + "sudoPassword"})
	}
	return secrets
}

// count returns the number of nodes of each role as a text.
func (p Proposal) count() string {
	agents := len(p.Nodes) - p.servers()
	text := plural(p.servers(), "server")
	if p.servers() > 1 {
		text += " with embedded etcd"
	}
	if agents > 0 {
		text += " and " + plural(agents, "agent")
	}
	return text
}

func (p Proposal) servers() int {
	n := 0
	for _, node := range p.Nodes {
		if node.Role == config.RoleServer {
			n++
		}
	}
	return n
}

// roles returns the reason for the number of servers, for a comment of the stack file.
func (p Proposal) roles() string {
	if p.servers() == quorum {
		return "Three servers: etcd stays writable when one of them is lost. They are the first " +
			"hosts, in the order of the command, that have the memory."
	}
	if len(p.Nodes) >= quorum {
		return "One server: fewer than three hosts have the memory for it. When it is lost, so is the API."
	}
	return "One server: etcd needs an odd number, and more than two hosts to survive the loss of " +
		"one. When it is lost, so is the API."
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// scalar returns a text as a YAML scalar. It quotes a text that YAML would otherwise read as
// another value.
func scalar(text string) (string, error) {
	var back any
	if err := yaml.Unmarshal([]byte(text), &back); err == nil && back == text {
		return text, nil
	}
	quoted, err := json.Marshal(text)
	return string(quoted), err
}

// comment makes a text from a host safe for a comment: printable and on one line.
func comment(text string) string {
	printable := strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, text)
	return strings.Join(strings.Fields(printable), " ")
}

// keyName returns the TYPE in the name of a host's key file, ssh_host_TYPE_key.
func keyName(pin Pin) string {
	kind, _, _ := strings.Cut(pin.Key, " ")
	switch kind {
	case ssh.KeyAlgoED25519:
		return "ed25519"
	case ssh.KeyAlgoRSA:
		return "rsa"
	}
	return "ecdsa"
}
