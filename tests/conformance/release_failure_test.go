package conformance_test

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"io"
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"strata/tests/conformance/internal/plugin"
)

// mended returns the inputs of a release that becomes ready at once, because it has no Pod.
func mended(t *testing.T) map[string]any {
	t.Helper()
	return stuck(t, map[string]any{"timeout": int(slowest.Seconds()),
		"values": map[string]any{"replicas": 0}})
}

// stuck returns the inputs of a release that never becomes ready, because its Pods do not start.
func stuck(t *testing.T, more map[string]any) map[string]any {
	t.Helper()
	fields := release(t, map[string]any{"skipAwait": false, "timeout": 2,
		"values": map[string]any{"replicas": 1}})
	maps.Copy(fields, more)
	return fields
}

var releaseFailureCases = []testCase{
	{"a first install that fails is stored, and the next update upgrades it", func(t *testing.T) {
		_, r := newRelease(t)
		err := fails(t, r, plugin.Create, props(stuck(t, nil)))
		assert.ErrorContains(t, err, "was created, but failed to initialize completely")
		assert.NotEmpty(t, r.ID)
		assert.NotEmpty(t, r.InitErrors)
		assert.Equal(t, "failed", text(r.State, "status", "status"))
		up(t, r, plugin.Update, props(mended(t)))
		assert.Equal(t, "deployed", text(r.State, "status", "status"))
		assert.Equal(t, 2, revision(r))
	}},
	{"a failed upgrade is stored, and the next update mends it", func(t *testing.T) {
		_, r := newRelease(t)
		up(t, r, plugin.Create, props(mended(t)))
		err := fails(t, r, plugin.Update, props(stuck(t, nil)))
		assert.ErrorContains(t, err, "failed to initialize completely")
		assert.NotEmpty(t, r.InitErrors)
		up(t, r, plugin.Update, props(mended(t)))
		assert.Equal(t, "deployed", text(r.State, "status", "status"))
		assert.Equal(t, 3, revision(r))
	}},
	{"a name that is in use cannot be installed", func(t *testing.T) {
		w, r := newRelease(t)
		up(t, r, plugin.Create, props(release(t, nil)))
		second := w.resource("helm.sh/v3:Release", "second")
		err := fails(t, second, plugin.Create, props(release(t, nil)))
		assert.ErrorContains(t, err, "cannot re-use a name that is still in use")
		assert.Empty(t, second.ID)
	}},
	{"an upgrade that was killed blocks the next", func(t *testing.T) {
		w, r := newRelease(t)
		up(t, r, plugin.Create, props(release(t, nil)))
		w.pending("sh.helm.release.v1.rel.v1", "deployed", "pending-upgrade")
		err := fails(t, r, plugin.Update,
			props(release(t, values(map[string]any{"greeting": "two"}))))
		assert.ErrorContains(t, err, "another operation (install/upgrade/rollback) is in progress")
	}},
	{"a first install that was killed blocks the next", func(t *testing.T) {
		w, r := newRelease(t)
		up(t, r, plugin.Create, props(release(t, nil)))
		w.pending("sh.helm.release.v1.rel.v1", "deployed", "pending-install")
		second := w.resource("helm.sh/v3:Release", "second")
		err := fails(t, second, plugin.Create, props(release(t, nil)))
		assert.ErrorContains(t, err, "cannot re-use a name that is still in use")
	}},
	{"a chart that is not there is an error of check", func(t *testing.T) {
		_, r := newRelease(t)
		_, err := r.Check(t.Context(), props(release(t,
			map[string]any{"chart": "/does/not/exist"})))
		require.ErrorContains(t, err, "check the chart name and repository configuration")
	}},
	{"an object that exists already fails the install", func(t *testing.T) {
		w, r := newRelease(t)
		w.create(configMaps, object("v1", "ConfigMap", "rel", nil))
		err := fails(t, r, plugin.Create, props(release(t, nil)))
		assert.ErrorContains(t, err, "cannot be imported into the current release")
		assert.Empty(t, r.ID)
	}},
	{"delete of a release that is gone is an error", func(t *testing.T) {
		w, r := newRelease(t)
		up(t, r, plugin.Create, props(release(t, nil)))
		w.remove(secrets, "sh.helm.release.v1.rel.v1")
		require.ErrorContains(t, r.Delete(t.Context()), "release: not found")
	}},
}

// pending changes Helm's record to that of an interrupted operation.
func (w *world) pending(name, from, to string) {
	w.t.Helper()
	record := w.record(name, `"status":"`+from+`"`, `"status":"`+to+`"`)
	labels := record.GetLabels()
	labels["status"] = to
	record.SetLabels(labels)
	_, err := w.client.Resource(secrets).Namespace(w.namespace).Update(w.t.Context(), record,
		metav1.UpdateOptions{})
	require.NoError(w.t, err)
}

// record replaces a text in Helm's record.
func (w *world) record(name, from, to string) *unstructured.Unstructured {
	w.t.Helper()
	body := strings.Replace(w.body(name), from, to, 1)
	require.Contains(w.t, body, to)
	record := w.mustGet(secrets, name)
	require.NoError(w.t, unstructured.SetNestedField(record.Object, pack(w.t, body), "data",
		"release"))
	record, err := w.client.Resource(secrets).
		Namespace(w.namespace).
		Update(w.t.Context(), record, metav1.UpdateOptions{})
	require.NoError(w.t, err)
	return record
}

// body returns the text of Helm's record.
func (w *world) body(name string) string {
	w.t.Helper()
	encoded, found, err := unstructured.NestedString(w.mustGet(secrets, name).Object, "data",
		"release")
	require.NoError(w.t, err)
	require.True(w.t, found)
	return unpack(w.t, encoded)
}

// unpack decodes Helm's record: base64 of the Secret, base64 of Helm, and gzip.
func unpack(t *testing.T, text string) string {
	t.Helper()
	inner, err := base64.StdEncoding.DecodeString(text)
	require.NoError(t, err)
	packed, err := base64.StdEncoding.DecodeString(string(inner))
	require.NoError(t, err)
	reader, err := gzip.NewReader(bytes.NewReader(packed))
	require.NoError(t, err)
	body, err := io.ReadAll(reader)
	require.NoError(t, err)
	return string(body)
}

func pack(t *testing.T, body string) string {
	t.Helper()
	var packed bytes.Buffer
	writer := gzip.NewWriter(&packed)
	_, err := writer.Write([]byte(body))
	require.NoError(t, err)
	require.NoError(t, writer.Close())
	inner := base64.StdEncoding.EncodeToString(packed.Bytes())
	return base64.StdEncoding.EncodeToString([]byte(inner))
}
