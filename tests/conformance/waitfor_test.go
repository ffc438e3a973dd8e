package conformance_test

import (
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"strata/tests/conformance/internal/plugin"
)

// waiting returns a custom resource with the annotation pulumi.com/waitFor, and its inputs.
func waiting(t *testing.T, annotation string) (*world, *plugin.Resource, map[string]any,
	schema.GroupVersionResource) {
	t.Helper()
	w := newWorld(t)
	token, version, kind := w.established()
	inputs := widget(version, "w", map[string]any{"pulumi.com/waitFor": annotation})
	return w, w.resource(token, "w"), inputs, kind
}

// satisfied returns a case with an annotation that only the last of the statuses satisfies. Another
// process sets the statuses one after the other. The create must wait for the last one.
func satisfied(annotation string, statuses ...string) func(*testing.T) {
	return func(t *testing.T) {
		w, r, inputs, kind := waiting(t, annotation)
		const step = 700 * time.Millisecond
		patched := make(chan struct{})
		t.Cleanup(func() { <-patched })
		go func() {
			defer close(patched)
			eventuallyExists(w, kind)
			for _, status := range statuses {
				time.Sleep(step)
				w.patch(kind, "w", `{"status":`+status+`}`, "status")
			}
		}()
		began := time.Now()
		r.Timeout = 2 * slowest.Seconds()
		up(t, r, plugin.Create, props(inputs))
		<-patched
		assert.GreaterOrEqual(t, time.Since(began), step*time.Duration(len(statuses)))
		assert.Less(t, time.Since(began), slowest)
	}
}

// never returns a case with an annotation that a status does not satisfy. The plugin's error does
// not name the unsatisfied part.
func never(annotation, status string) func(*testing.T) {
	return unsatisfied(annotation, status, "timed out waiting for the condition")
}

func unsatisfied(annotation, status, message string) func(*testing.T) {
	return func(t *testing.T) {
		inTime(t, 3, func(timeout float64) bool {
			w, r, inputs, kind := waiting(t, annotation)
			var patched atomic.Bool
			var all sync.WaitGroup
			defer all.Wait()
			all.Go(func() {
				eventuallyExists(w, kind)
				w.patch(kind, "w", `{"status":`+status+`}`, "status")
				patched.Store(true)
			})
			r.Timeout = timeout
			err := fails(t, r, plugin.Create, props(inputs))
			if !patched.Load() || !strings.Contains(err.Error(), message) &&
				timeout < inTimeEnough {
				return false
			}
			assert.ErrorContains(t, err, message)
			assert.NotEmpty(t, r.ID)
			assert.Len(t, r.InitErrors, 1)
			return true
		})
	}
}

// inTimeEnough is a timeout, in seconds, within which every plugin notices a status.
const inTimeEnough = 20

// eventuallyExists waits until the object exists, or the case has ended.
func eventuallyExists(w *world, kind schema.GroupVersionResource) {
	eventually(w.t, func() bool {
		_, err := w.get(kind, "w")
		return err == nil || w.t.Context().Err() != nil
	})
}

// refused returns a case with an annotation that the plugin rejects.
func refused(annotation, message string) func(*testing.T) {
	return func(t *testing.T) {
		_, r, inputs, _ := waiting(t, annotation)
		r.Timeout = inTimeEnough
		err := fails(t, r, plugin.Create, props(inputs))
		assert.ErrorContains(t, err, "was not successfully created")
		assert.ErrorContains(t, err, message)
		assert.Empty(t, r.ID)
	}
}

var waitForCases = []testCase{
	{"waitFor jsonpath with a value holds when the value is there",
		satisfied(`jsonpath={.status.phase}=Running`, `{"phase":"Pending"}`,
			`{"phase":"Running"}`)},
	{"waitFor jsonpath without a value holds when the field is there",
		satisfied(`jsonpath={.status.address}`, `{"address":"10.0.0.1"}`)},
	{"waitFor jsonpath compares numbers and booleans as text",
		satisfied(
			`["jsonpath={.status.count}=3","jsonpath={.status.ok}=true"]`,
			`{"count":2,"ok":true}`,
			`{"count":3,"ok":true}`,
		)},
	{"waitFor condition holds when the condition is True",
		satisfied(`condition=Ready`, `{"conditions":[{"type":"Ready","status":"False"}]}`,
			`{"conditions":[{"type":"ready","status":"true"}]}`)},
	{"waitFor condition with a status holds at that status",
		satisfied(`condition=Degraded=False`,
			`{"conditions":[{"type":"Degraded","status":"True"}]}`,
			`{"conditions":[{"type":"Degraded","status":"False"}]}`)},
	{"every expression of a list must hold at the same time",
		satisfied(
			`["jsonpath={.status.a}=1","jsonpath={.status.b}=1"]`,
			`{"a":"1","b":"0"}`,
			`{"a":"0","b":"1"}`,
			`{"a":"1","b":"1"}`,
		)},
	{"a filter expresses or",
		satisfied(
			`jsonpath={.status[?@ == 'Running' || @ == 'Succeeded']}`,
			`{"phase":"Pending"}`,
			`{"phase":"Succeeded"}`,
		)},
	{"an old generation does not satisfy",
		never(`jsonpath={.status.phase}=Running`, `{"phase":"Running","observedGeneration":0}`)},
	{"a list or map does not equal a value, which the timeout says",
		unsatisfied(`jsonpath={.status.list}=x`, `{"list":["x"]}`,
			`"{.status.list}" has a non-primitive value ([x])`)},
	{"only the first result is compared",
		never(`jsonpath={.status.list[*]}=b`, `{"list":["a","b"]}`)},
	{"an empty list counts as present", satisfied(`jsonpath={.status.list}`, `{"list":[]}`)},
	{"two equals signs only test that the field is there",
		satisfied(`jsonpath={.status.phase}==Running`, `{"phase":"Failed"}`)},
	{"an expression without prefix is refused and the object stays behind", func(t *testing.T) {
		w, r, inputs, kind := waiting(t, `{.status.phase}=Running`)
		err := fails(t, r, plugin.Create, props(inputs))
		assert.ErrorContains(t, err, `expected a "jsonpath=" or "condition=" prefix, got`)
		assert.Empty(t, r.ID)
		w.mustGet(kind, "w")
		inputs["metadata"] = meta("w", nil)
		assert.ErrorContains(t, fails(t, r, plugin.Create, props(inputs)), "already exists")
	}},
	{"a path without braces is refused",
		refused(`jsonpath=.status.phase=Running`, "should be wrapped in brackets")},
	{"a value with an equals sign is refused",
		refused(`jsonpath={.status.phase}=a=b`, "format should be")},
	{"!= is refused", refused(`jsonpath={.status.conditions[?(@.type!='Ready')].status}`, "")},
	{"an empty value is refused", refused(`jsonpath={.status.phase}=`, "requires a value")},
	{"shell quotes are refused", refused(`jsonpath='{.status.phase}'`, "should omit shell quotes")},
	{"an empty list is refused", refused(`[]`, "at least one condition must be specified")},
	{"a timeout keeps the object with its reason, and the next update waits again",
		func(t *testing.T) {
			w, r, inputs, kind := waiting(t, `jsonpath={.status.phase}=Running`)
			inputs["metadata"].(map[string]any)["annotations"].(map[string]any)["pulumi.com/timeoutSeconds"] = "1"
			err := fails(t, r, plugin.Create, props(inputs))
			assert.ErrorContains(t, err,
				"was successfully created, but the Kubernetes API server reported that it "+
					"failed to fully initialize or become live: timed out waiting for the condition")
			assert.NotEmpty(t, r.ID)
			assert.NotEmpty(t, r.InitErrors)
			assert.NotEmpty(t, text(r.State, "metadata", "uid"))
			fails(t, r, plugin.Update, props(inputs))
			assert.NotEmpty(t, r.InitErrors)
			w.patch(kind, "w", `{"status":{"phase":"Running"}}`, "status")
			up(t, r, plugin.Update, props(inputs))
			up(t, r, plugin.Same, props(inputs))
		}},
	{"the resource timeout wins over the annotation", func(t *testing.T) {
		_, r, inputs, _ := waiting(t, `jsonpath={.status.phase}=Running`)
		inputs["metadata"].(map[string]any)["annotations"].(map[string]any)["pulumi.com/timeoutSeconds"] = "600"
		r.Timeout = 1
		began := time.Now()
		fails(t, r, plugin.Create, props(inputs))
		assert.Less(t, time.Since(began), slowest)
	}},
	{"skipAwait wins over waitFor", func(t *testing.T) {
		_, r, inputs, _ := waiting(t, `jsonpath={.status.phase}=Running`)
		inputs["metadata"].(map[string]any)["annotations"].(map[string]any)["pulumi.com/skipAwait"] = "true"
		r.Timeout = slowest.Seconds()
		up(t, r, plugin.Create, props(inputs))
	}},
	{"an update waits as well, and a stale status satisfies it", func(t *testing.T) {
		w, r, inputs, kind := waiting(t, `jsonpath={.status.phase}=Running`)
		go func() {
			eventuallyExists(w, kind)
			w.patch(kind, "w", `{"status":{"phase":"Running"}}`, "status")
		}()
		up(t, r, plugin.Create, props(inputs))
		inputs["spec"] = map[string]any{"size": "2"}
		r.Timeout = slowest.Seconds()
		up(t, r, plugin.Update, props(inputs))
	}},
	{"a refresh ignores waitFor", func(t *testing.T) {
		w, r, inputs, kind := waiting(t, `jsonpath={.status.phase}=Running`)
		go func() {
			eventuallyExists(w, kind)
			w.patch(kind, "w", `{"status":{"phase":"Running"}}`, "status")
		}()
		up(t, r, plugin.Create, props(inputs))
		w.patch(kind, "w", `{"status":{"phase":"Failed"}}`, "status")
		require.NoError(t, r.Refresh(t.Context()))
		assert.Empty(t, r.InitErrors)
	}},
}
