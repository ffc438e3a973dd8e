package charts_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	lua "github.com/yuin/gopher-lua"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

// children are Applications below a root Application. status and message are the result of a root's
// health check with this child.
var children = []struct{ name, text, status, message string }{
	{"not reconciled yet", `{spec: {source: {repoURL: r, path: p}}}`, "Progressing",
		"not compared yet"},
	{"Synced and Healthy", app(`main`, `main`, `Synced`, `Healthy`), "Healthy", ""},
	{"Degraded", app(`main`, `main`, `Synced`, `Degraded`), "Degraded", ""},
	{"the verdict is of an earlier revision", app(`v2`, `v1`, `Synced`, `Healthy`), "Progressing",
		"its last comparison is of an earlier source"},
	{"compared, and not synced yet", app(`main`, `main`, `OutOfSync`, `Healthy`), "Progressing",
		"sync is OutOfSync"},
	{"cannot be compared", app(`main`, `main`, `Unknown`, `Healthy`), "Progressing",
		"sync is Unknown"},
	{"its sync failed, and what lived on is Healthy (argo-cd#27917)",
		`{spec: {source: {repoURL: r}, syncPolicy: {automated: {}}}, status: {
		sync: {status: OutOfSync, comparedTo: {source: {repoURL: r}}}, health: {status: Healthy},
		conditions: [{type: SyncError, message: "no matches for kind"}]}}`, "Progressing", "sync is OutOfSync; no matches for kind"},
	{"an operation is asked for", `{operation: {sync: {}}, ` + healthy + `}`, "Progressing",
		"an operation is running"},
	{"hooks are running",
		`{spec: {source: {repoURL: r}}, status: {operationState: {phase: Running}, sync: {status: Synced, comparedTo: {source: {repoURL: r}}},
		health: {status: Healthy}}}`, "Progressing", "an operation is running"},
	{"other values of the same chart", `{spec: {source: {repoURL: r, chart: c, helm: {valuesObject: {a: 2}}}}, status: {
		sync: {status: Synced, comparedTo: {source: {repoURL: r, chart: c, helm: {valuesObject: {a: 1}}}}}, health: {status: Healthy}}}`,
		"Progressing", "its last comparison is of an earlier source"},

	// A root with any of the following children must become Healthy.
	{"synced by hand",
		`{spec: {source: {repoURL: r}}, status: {sync: {status: OutOfSync, comparedTo: {source: {repoURL: r}}}, health: {status: Healthy}}}`, "Healthy", ""},
	{"switched off", `{spec: {source: {repoURL: r}, syncPolicy: {automated: {enabled: false}}}, status: {
		sync: {status: OutOfSync, comparedTo: {source: {repoURL: r}}}, health: {status: Healthy}}}`, "Healthy", ""},
	{"empty parts that come back without",
		`{spec: {source: {repoURL: r, path: p, directory: {recurse: false, jsonnet: {}}}}, status: {
		sync: {status: Synced, comparedTo: {source: {repoURL: r, path: p}}}, health: {status: Healthy}}}`, "Healthy", ""},
	{"several sources", `{spec: {sources: [{repoURL: a}, {repoURL: b, ref: x}]}, status: {
		sync: {status: Synced, comparedTo: {source: {repoURL: ""}, sources: [{repoURL: a}, {repoURL: b, ref: x}]}}, health: {status: Healthy}}}`, "Healthy", ""},
	{"one of several sources is new", `{spec: {sources: [{repoURL: a}, {repoURL: b}]}, status: {
		sync: {status: Synced, comparedTo: {sources: [{repoURL: a}]}}, health: {status: Healthy}}}`, "Progressing", "its last comparison is of an earlier source"},
	{"hydrated", `{spec: {sourceHydrator: {drySource: {repoURL: d}}}, status: {
		sync: {status: Synced, comparedTo: {source: {repoURL: d, path: out}}}, health: {status: Healthy}}}`, "Healthy", ""},
	{"its own message",
		`{spec: {source: {repoURL: r}}, status: {sync: {status: Synced, comparedTo: {source: {repoURL: r}}}, health: {status: Suspended, message: paused}}}`,
		"Suspended", "paused"},
}

const healthy = `spec: {source: {repoURL: r}}, status: {sync: {status: Synced, comparedTo: {source: {repoURL: r}}}, health: {status: Healthy}}`

// app returns an Application with automated sync. revision is its target, and compared the target
// of its last comparison.
func app(revision, compared, sync, health string) string {
	return `{spec: {source: {repoURL: r, path: p, targetRevision: ` + revision +
		`}, syncPolicy: {automated: {prune: true}}}, status: {
		sync: {status: ` + sync + `, comparedTo: {source: {repoURL: r, path: p, targetRevision: ` + compared + `}}}, health: {status: ` + health + `}}}`
}

// Argo CD has no health check for Applications. Without the program's check, a root would be
// Healthy even if its children are not.
func TestRootApplicationHealthDependsOnChildren(t *testing.T) {
	configuration, ok := find(newWorld(t, newProgram(t, nil)).charts, "ConfigMap", "argocd",
		"argocd-cm")
	require.True(t, ok)
	script := as[corev1.ConfigMap](configuration).Data["resource.customizations.health.argoproj.io_Application"]
	require.NotEmpty(t, script)
	for _, child := range children {
		t.Run(child.name, func(t *testing.T) {
			var object map[string]any
			require.NoError(t, yaml.Unmarshal([]byte(child.text), &object))
			status, message := judged(t, script, object)
			assert.Equal(t, child.status, status)
			assert.Equal(t, child.message, message)
		})
	}
}

// judged runs a health check as Argo CD does, with only the basic and the table library of Lua
// (argo-cd util/lua/lua.go, runLua).
func judged(t *testing.T, script string, object map[string]any) (status, message string) {
	t.Helper()
	state := lua.NewState(lua.Options{SkipOpenLibs: true})
	defer state.Close()
	for _, library := range []struct {
		name string
		open lua.LGFunction
	}{{lua.LoadLibName, lua.OpenPackage}, {lua.BaseLibName, lua.OpenBase},
		{lua.TabLibName, lua.OpenTable}} {
		require.NoError(t,
			state.CallByParam(lua.P{Fn: state.NewFunction(library.open), Protect: true},
				lua.LString(library.name)))
	}
	state.SetGlobal("obj", value(state, object))
	require.NoError(t, state.DoString(script))
	result, ok := state.Get(-1).(*lua.LTable)
	require.True(t, ok, "a check returns a table")
	return result.RawGetString("status").String(), result.RawGetString("message").String()
}

// value converts a value of an object to Lua.
func value(state *lua.LState, from any) lua.LValue {
	table := state.CreateTable(0, 0)
	switch part := from.(type) {
	case bool:
		return lua.LBool(part)
	case float64:
		return lua.LNumber(part)
	case string:
		return lua.LString(part)
	case []any:
		for _, one := range part {
			table.Append(value(state, one))
		}
		return table
	case map[string]any:
		for key, one := range part {
			table.RawSetString(key, value(state, one))
		}
		return table
	default:
		return lua.LNil
	}
}
