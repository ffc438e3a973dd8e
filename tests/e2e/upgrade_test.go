package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Their major version is 3, because Traefik's chart refuses a later major version.
const (
	// missingVersion is a version that no registry has.
	missingVersion = "v3.99.0"
	// nextVersion is a version that the nodes have: the same images under another tag.
	nextVersion = "v3.99.1"
)

// addon is a chart, the namespace of its workloads, and the gates that observe them.
type addon struct {
	chart, namespace string
	gates            []string
}

var addons = []addon{
	{"cert-manager", "cert-manager", []string{"cert-manager-api"}},
	{"argo-cd", "argocd", []string{"argocd-rollout"}},
	{"metallb", "metallb-system", []string{"metallb-webhook", "metallb-rollout"}},
	{"traefik", "traefik", []string{"traefik-rollout"}},
}

// survivesBadUpgrades upgrades every add-on to a version that does not exist. Updates must report
// each soon, while the previous versions serve. Traefik has a second update of its own, because its
// release waits for MetalLB's gates; the others then get an existing version.
func (s *stack) survivesBadUpgrades(t *testing.T, hosts *hostSet) {
	hosts.serveEmptyRegistry(t)
	hosts.nameImages(nextVersion)
	last := len(addons) - 1
	s.badUpgrade(t, addons[:last], func(string) string { return missingVersion })
	s.badUpgrade(t, addons[last:], func(chart string) string {
		if chart == addons[last].chart {
			return missingVersion
		}
		return nextVersion
	})
}

// badUpgrade asserts that a failed update names the image of each add-on. The update continues
// after the first failed gate, because on a busy machine other releases may not be installed before
// that. Pulumi stores no outputs of such an update, so the story uses the previous ones.
func (s *stack) badUpgrade(t *testing.T, bad []addon, version func(chart string) string) {
	before := s.outputs()
	s.with("STRATA_ARTIFACTS="+s.bundleOf(t, version), func() {
		r := s.up("--continue-on-error")
		require.Error(t, r.err, "%s", r.output)
		s.known = outputs{state: s.state(), values: before}
		for _, a := range bad {
			first := s.firstBackOff(t, a.namespace)
			for _, gate := range a.gates {
				took := r.when(t, "gate "+gate+": stuck").Sub(first) // stuck: before the gate's timeout
				t.Logf("%s tells %s after the first ImagePullBackOff", gate,
					took.Round(time.Second))
			}
		}
		assert.GreaterOrEqual(t, strings.Count(r.output, ":"+missingVersion), len(bad),
			"the image is named")
	})
	s.answersOverTLS(t)
	s.renews(t)
}

// rollsForward upgrades every add-on to an existing version.
func (s *stack) rollsForward(t *testing.T) {
	s.with("STRATA_ARTIFACTS="+s.bundleOf(t, func(string) string { return nextVersion }), func() {
		s.must(s.up())
		for _, a := range addons {
			images := s.imagesIn(t, a.namespace)
			assert.True(t, slices.ContainsFunc(images,
				func(image string) bool { return strings.HasSuffix(image, ":"+nextVersion) }),
				"%s runs %v", a.chart, images)
			assert.NotContains(t, strings.Join(images, " "), ":"+missingVersion, "%s", a.chart)
		}
		s.must(s.up("--expect-no-changes"))
		s.healthy()
	})
	s.answersOverTLS(t)
}

// bundleOf returns a bundle in which the chart of each add-on has a given version.
func (s *stack) bundleOf(t *testing.T, version func(chart string) string) string {
	return s.otherBundle(t, "charts/*.tgz",
		func(path string) string { return s.repack(t, path, version) })
}

// repack changes the version of a chart, and returns the new checksum. If the version is
// missingVersion, the images are requested from the registry without images.
func (s *stack) repack(t *testing.T, chart string, version func(chart string) string) string {
	dir := t.TempDir()
	s.must(s.run("tar", "-xzf", chart, "-C", dir))
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	name := entries[0].Name()
	wanted := version(name)
	s.must(s.run("sed", "-i", "s/^appVersion:.*/appVersion: "+wanted+"/; s/^version:.*/version: "+
		strings.TrimPrefix(wanted, "v")+"/", filepath.Join(dir, name, "Chart.yaml")))
	if wanted == missingVersion {
		// Upstream's Traefik chart has the registry in a template, and not in its values.
		s.must(s.run("find", filepath.Join(dir, name), "(", "-name", "values.yaml", "-o", "-name",
			"_helpers.tpl", ")",
			"-exec", "sed", "-i", "-E", "s/(quay|docker)\\.io/"+emptyRegistry+"/", "{}", "+"))
	}
	require.NoError(t, os.Remove(chart), "it is a link to the bundle's own")
	s.must(s.run("tar", "-czf", chart, "-C", dir, name))
	return sumOf(t, chart)
}

// nameImages gives each image of an add-on one more tag, a version, on every node.
func (l *hostSet) nameImages(version string) {
	for _, n := range l.nodes {
		l.must(n.name, `set -eu
ctr="k3s ctr --namespace k8s.io images"
for image in $($ctr ls -q | grep -E '^(quay\.io/(jetstack|argoproj|metallb)|docker\.io/library/traefik)[^@]*$'); do
	$ctr tag --force "$image" "${image%:*}:`+version+`"
done`)
	}
}

// firstBackOff returns the time at which the kubelet first backed off from a missing image in a
// namespace.
func (s *stack) firstBackOff(t *testing.T, namespace string) time.Time {
	events, err := s.client().CoreV1().Events(namespace).List(t.Context(),
		metav1.ListOptions{FieldSelector: "reason=BackOff"})
	require.NoError(t, err)
	var first time.Time
	for _, event := range events.Items {
		at := event.FirstTimestamp.Time
		if strings.Contains(event.Message, ":"+missingVersion) &&
			(first.IsZero() || at.Before(first)) {
			first = at
		}
	}
	require.False(t, first.IsZero(), "no Pod backed off from %s in %s", missingVersion, namespace)
	return first
}

// imagesIn returns the images of a namespace's Pods.
func (s *stack) imagesIn(t *testing.T, namespace string) []string {
	pods, err := s.client().CoreV1().Pods(namespace).List(t.Context(), metav1.ListOptions{})
	require.NoError(t, err)
	var images []string
	for _, pod := range pods.Items {
		if pod.DeletionTimestamp == nil && pod.Status.Phase == corev1.PodRunning {
			images = append(images, pod.Spec.Containers[0].Image)
		}
	}
	return images
}
