package credential

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestStackGetsReadOnlyUserWithCurrentRules(t *testing.T) {
	w := newWorld(t, "server-1")
	issued := w.mustIssue(nil)
	assert.Equal(t, "strata:dev:reader", UserOf([]byte(issued.Reader)))
	binding, err := w.client.RbacV1().ClusterRoleBindings().Get(t.Context(), "strata:dev:reader",
		metav1.GetOptions{})
	require.NoError(t, err)
	assert.Equal(t, ReaderRole, binding.RoleRef.Name)
	roles := w.client.RbacV1().ClusterRoles()
	role, err := roles.Get(t.Context(), ReaderRole, metav1.GetOptions{})
	require.NoError(t, err)
	assert.Equal(t, ReaderRules(), role.Rules)

	role.Rules = []rbacv1.PolicyRule{{APIGroups: []string{"*"}, Resources: []string{"*"},
		Verbs: []string{"*"}}}
	_, err = roles.Update(t.Context(), role, metav1.UpdateOptions{})
	require.NoError(t, err)
	assert.Equal(t, issued, w.mustIssue(issued))
	role, err = roles.Get(t.Context(), ReaderRole, metav1.GetOptions{})
	require.NoError(t, err)
	assert.Equal(t, ReaderRules(), role.Rules, "corrected")
}

func TestReaderIsRevokedWithItsUser(t *testing.T) {
	for user, reader := range map[string]string{"strata:dev": "strata:dev:reader", "strata:dev:2": "strata:dev:reader:2"} {
		assert.Equal(t, reader, ReaderOf(user))
	}
	assert.True(t, isFormer("strata:dev:reader", ReaderOf("strata:dev:1")))
	assert.True(t, isFormer("strata:dev:reader:1", ReaderOf("strata:dev:2")))
	for _, kept := range []string{"strata:dev:reader:2", "strata:dev2:reader", "strata:dev:view", "strata:reader"} {
		assert.False(t, isFormer(kept, ReaderOf("strata:dev:2")) ||
			isFormer(kept, "strata:dev:2"), kept)
	}
}

func TestReaderRoleAllowsOnlyReadsAndNoSecrets(t *testing.T) {
	for _, rule := range ReaderRules() {
		assert.Subset(t, []string{"get", "list", "watch"}, rule.Verbs)
		for _, resource := range rule.Resources {
			assert.NotContains(t, []string{"*", "secrets", "configmaps", "nodes/proxy",
				"pods/proxy", "services/proxy", "pods/log", "pods/exec", "pods/portforward"},
				resource)
		}
	}
}

// readByGates finds the resources that gates read.
var readByGates = regexp.MustCompile(
	`GroupVersionResource\{\s*(?:Group:\s+"([^"]+)",\s*)?Version:\s+"[^"]+",\s*Resource:\s+"([^"]+)"`)

// notForReaders lists resources that are read only by gates which never run with a reader's rights
// (cli/stackhealth).
var notForReaders = []string{"secrets", "selfsubjectaccessreviews", "subjectaccessreviews",
	"validatingwebhookconfigurations", "httproutes", "apisixroutes"}

func TestReaderRoleCoversResourcesOfGates(t *testing.T) {
	found := 0
	require.NoError(t, filepath.WalkDir("../../../health",
		func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") ||
				strings.HasSuffix(path, "_test.go") {
				return err
			}
			text, err := os.ReadFile(path)
			for _, match := range readByGates.FindAllStringSubmatch(string(text), -1) {
				group, resource := match[1], match[2]
				if slices.Contains(notForReaders, resource) {
					continue
				}
				found++
				allowed := slices.ContainsFunc(ReaderRules(), func(rule rbacv1.PolicyRule) bool {
					return slices.Contains(rule.APIGroups, group) && slices.Contains(rule.Resources, resource)
				})
				assert.True(t, allowed, "%s: %s of group %q", path, resource, group)
			}
			return err
		}))
	assert.Greater(t, found, 25)
}
