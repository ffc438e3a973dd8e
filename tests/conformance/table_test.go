package conformance_test

import (
	"context"
	"os"
	"testing"

	"github.com/pulumi/pulumi/sdk/v3/go/common/resource"
	"github.com/stretchr/testify/require"

	"strata/tests/conformance/internal/plugin"
)

// testCase is one row of the table: a behaviour that a plugin must have.
type testCase struct {
	name string
	run  func(t *testing.T)
}

// table has all rows, by plugin.
var table = []struct {
	plugin string
	cases  []testCase
}{
	{"command", localCases},
	{"command", localFailureCases},
	{"command", remoteCases},
	{"random", randomCases},
	{"kubernetes", providerCases},
	{"kubernetes", objectCases},
	{"kubernetes", adoptCases},
	{"kubernetes", refreshCases},
	{"kubernetes", previewCases},
	{"kubernetes", definitionCases},
	{"kubernetes", waitForCases},
	{"kubernetes", builtinCases},
	{"kubernetes", releaseCases},
	{"kubernetes", releaseFailureCases},
	{"kubernetes", driftCases},
}

func TestPluginsMatchConformanceTable(t *testing.T) {
	for _, rows := range table {
		t.Run(rows.plugin, func(t *testing.T) {
			require.NoError(t, binaries.err(rows.plugin))
			for _, row := range rows.cases {
				t.Run(row.name, func(t *testing.T) {
					t.Cleanup(func() { recorded.add(rows.plugin, row.name, t) })
					if reason := binaries.reason(rows.plugin); reason != "" {
						t.Skip(reason)
					}
					t.Parallel()
					row.run(t)
				})
			}
		})
	}
}

func TestMain(m *testing.M) {
	code := m.Run()
	stopControlPlane()
	binaries.remove()
	if err := recorded.write(os.Getenv("STRATA_CONFORMANCE_RESULTS")); err != nil {
		println("writing the results:", err.Error())
		code = 1
	}
	os.Exit(code)
}

// start starts a plugin for one case.
func start(t *testing.T, name string, config map[string]any, environment ...string) *plugin.Plugin {
	t.Helper()
	home := t.TempDir()
	environment = append([]string{"SSH_AUTH_SOCK=", "TMPDIR=" + home, "HELM_CACHE_HOME=" + home},
		environment...)
	p, err := plugin.Start(t.Context(), binaries.path(name), environment, props(config))
	require.NoError(t, err)
	t.Cleanup(p.Stop)
	recorded.version(name, p.Version)
	return p
}

func props(fields map[string]any) resource.PropertyMap {
	return resource.NewPropertyMapFromMap(fields)
}

func secret(text string) resource.PropertyValue {
	return resource.MakeSecret(resource.NewStringProperty(text))
}

func unknown() resource.PropertyValue {
	return resource.MakeComputed(resource.NewStringProperty(""))
}

// get returns the value at a path of properties, even if it is secret.
func get(state resource.PropertyMap, path ...any) resource.PropertyValue {
	value, ok := resource.PropertyPath(path).Get(resource.NewObjectProperty(reveal(state)))
	if !ok {
		return resource.NewNullProperty()
	}
	return value
}

func reveal(properties resource.PropertyMap) resource.PropertyMap {
	result := resource.PropertyMap{}
	for key, value := range properties {
		result[key] = revealValue(value)
	}
	return result
}

func revealValue(value resource.PropertyValue) resource.PropertyValue {
	switch {
	case value.IsSecret():
		return revealValue(value.SecretValue().Element)
	case value.IsObject():
		return resource.NewObjectProperty(reveal(value.ObjectValue()))
	case value.IsArray():
		items := make([]resource.PropertyValue, len(value.ArrayValue()))
		for i, item := range value.ArrayValue() {
			items[i] = revealValue(item)
		}
		return resource.NewArrayProperty(items)
	}
	return value
}

func text(state resource.PropertyMap, path ...any) string {
	value := get(state, path...)
	if !value.IsString() {
		return ""
	}
	return value.StringValue()
}

// up runs an update, which must do the operation want and succeed.
func up(t *testing.T, r *plugin.Resource, want plugin.Op, news resource.PropertyMap) {
	t.Helper()
	op, err := r.Up(context.Background(), news)
	require.NoError(t, err)
	require.Equal(t, want, op)
}

// fails runs an update, which must fail in the operation want, and returns its error.
func fails(t *testing.T, r *plugin.Resource, want plugin.Op, news resource.PropertyMap) error {
	t.Helper()
	op, err := r.Up(context.Background(), news)
	require.Error(t, err)
	require.Equal(t, want, op)
	return err
}

// isSecret reports whether the value at a path, or a value around it, is secret.
func isSecret(state resource.PropertyMap, path ...string) bool {
	value := resource.NewObjectProperty(state)
	for _, step := range path {
		if value.IsSecret() {
			return true
		}
		if !value.IsObject() {
			return false
		}
		value = value.ObjectValue()[resource.PropertyKey(step)]
	}
	return value.IsSecret()
}

// isUnknown reports whether the value at a path is unknown.
func isUnknown(state resource.PropertyMap, path ...any) bool {
	value := get(state, path...)
	return value.IsComputed() || value.IsOutput()
}
