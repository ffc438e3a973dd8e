package graph_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/assert"

	"strata/tests/pulumitest"
)

// secretTexts are what must never be seen: parts of them too, so that an encoding of lines does not hide one.
func (p *program) secretTexts() map[string]string {
	return map[string]string{
		"the join token":          pulumitest.Token,
		"the kubeconfig":          pulumitest.ClientKey,
		"the lent hosts' SSH key": secondLine(p.project.SSHKey),
		"the machines' SSH key":   secondLine(p.answers.MachineKey),
	}
}

// secondLine is the first line of a PEM block's body.
func secondLine(pem string) string { return strings.Split(pem, "\n")[1] }

func TestSecretsAreInSecretInputsOnly(t *testing.T) {
	for _, stack := range stacks(t) {
		t.Run(stack, func(t *testing.T) {
			p := newProgram(t, stack)
			g := p.graph(t)
			seen := map[string]int{}
			for _, name := range g.names() {
				for key, value := range g[name].Inputs {
					for secret, text := range p.secretTexts() {
						assert.Empty(t, plainly(string(key), value, text), "%s shows %s", name, secret)
						if contains(value, text) {
							seen[secret]++
						}
					}
				}
			}
			assert.Positive(t, seen["the join token"], "the test looked at no secret")
			assert.Positive(t, seen["the kubeconfig"], "the test looked at no secret")
			assert.Positive(t, seen["the lent hosts' SSH key"]+seen["the machines' SSH key"], "the test looked at no secret")
		})
	}
}

// A command's text is its argv on this machine and on the host, and it is repeated in the error when it fails: no secret may
// be in it, even if the input is marked.
func TestNoSecretIsInACommandsText(t *testing.T) {
	for _, stack := range stacks(t) {
		t.Run(stack, func(t *testing.T) {
			p := newProgram(t, stack)
			g := p.graph(t)
			for _, name := range g.names() {
				for _, step := range []string{"create", "update", "delete"} {
					value, marked := g[name].Input(step)
					assert.False(t, marked, "%s: the text of %s is made from a secret", name, step)
					for secret, text := range p.secretTexts() {
						assert.False(t, contains(value, text), "%s: %s has %s in it", name, step, secret)
					}
				}
			}
		})
	}
}

func TestWhatPrintsASecretHasASecretOutputAndNoLog(t *testing.T) {
	for _, stack := range stacks(t) {
		t.Run(stack, func(t *testing.T) {
			p := newProgram(t, stack)
			g := p.graph(t)
			for _, name := range g.where(func(r pulumitest.Resource) bool { return strings.HasPrefix(r.Type, "command:") }) {
				printed := p.answers.Outputs(g[name])["stdout"]
				for secret, text := range p.secretTexts() {
					if !contains(printed, text) {
						continue
					}
					assert.Contains(t, g[name].SecretOutputs, "stdout", "%s prints %s", name, secret)
					assert.Equal(t, "none", g[name].Text("logging"), "%s prints %s", name, secret)
				}
			}
		})
	}
}

// plainly are the paths below a value where text stands outside a secret.
func plainly(path string, value resource.PropertyValue, text string) []string {
	var found []string
	switch {
	case value.IsSecret():
		return nil
	case value.IsOutput():
		if !value.OutputValue().Secret {
			return plainly(path, value.OutputValue().Element, text)
		}
	case value.IsString() && strings.Contains(value.StringValue(), text):
		return []string{path}
	case value.IsArray():
		for i, element := range value.ArrayValue() {
			found = append(found, plainly(fmt.Sprintf("%s[%d]", path, i), element, text)...)
		}
	case value.IsObject():
		for key, field := range value.ObjectValue() {
			found = append(found, plainly(path+"."+string(key), field, text)...)
		}
	}
	return found
}

// contains reports whether text stands anywhere in a value, marked or not.
func contains(value resource.PropertyValue, text string) bool {
	switch {
	case value.IsSecret():
		return contains(value.SecretValue().Element, text)
	case value.IsOutput():
		return contains(value.OutputValue().Element, text)
	}
	return len(plainly("", value, text)) > 0 || containsMarked(value, text)
}

func containsMarked(value resource.PropertyValue, text string) bool {
	switch {
	case value.IsArray():
		for _, element := range value.ArrayValue() {
			if contains(element, text) {
				return true
			}
		}
	case value.IsObject():
		for _, field := range value.ObjectValue() {
			if contains(field, text) {
				return true
			}
		}
	}
	return false
}

func TestThePlainSearchFindsWhatItShould(t *testing.T) {
	hidden := resource.MakeSecret(resource.NewProperty("a token"))
	value := resource.NewProperty(resource.PropertyMap{
		"hidden": hidden,
		"list":   resource.NewProperty([]resource.PropertyValue{hidden, resource.NewProperty("the token")}),
	})
	assert.Equal(t, []string{"in.list[1]"}, plainly("in", value, "token"))
	assert.True(t, contains(resource.NewProperty([]resource.PropertyValue{hidden}), "token"))
	assert.False(t, contains(value, "key"))
}
