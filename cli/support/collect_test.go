package support

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"strata/tests/configdocs"
)

func TestHangingSourceDoesNotBlockOthers(t *testing.T) {
	hang := make(chan struct{})
	defer close(hang)
	answers := gather(t.Context(), []source{
		singleFile("deaf", func(context.Context) ([]byte, error) { <-hang; return nil, nil }),
		singleFile("late", func(ctx context.Context) ([]byte, error) {
			<-ctx.Done()
			return []byte("half"), ctx.Err()
		}),
		singleFile("good", func(context.Context) ([]byte, error) { return []byte("whole"), nil }),
		singleFile("empty", func(context.Context) ([]byte, error) {
			return nil,
				errors.New("nothing")
		}),
	}, 500*time.Millisecond)
	require.ErrorContains(t, answers[0].err, "within 500ms")
	assert.Equal(t, []File{{"late", []byte("half")}}, answers[1].files, "what came in time is kept")
	require.ErrorIs(t, answers[1].err, context.DeadlineExceeded)
	assert.Equal(t, answer{files: []File{{"good", []byte("whole")}}}, answers[2])
	assert.Empty(t, answers[3].files)
}

func TestArchiveSizeIsLimitedAndOmissionsAreListed(t *testing.T) {
	var archive Archive
	for range maxAll/maxFile + 2 {
		archive.add(File{"log", bytes.Repeat([]byte("x"), 2*maxFile)})
	}
	assert.Less(t, len(archive.Files), maxAll/maxFile+1)
	assert.NotEmpty(t, archive.Missing)
	assert.Contains(t, string(archive.Files[0].Content[:80]), "bytes before this are left out")
	assert.Equal(t, "the end", string(cut([]byte("the end"), 7)))
	assert.True(t, strings.HasSuffix(string(cut([]byte("not the end"), 7)), "\nthe end"))
}

func TestArchiveWriteNeverOverwritesExistingFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a")
	archive := Archive{Stack: "org/project/dev", Files: []File{{"x", []byte("y")}}}
	require.NoError(t, archive.Write(file))
	before, err := os.ReadFile(file)
	require.NoError(t, err)
	require.ErrorIs(t, archive.Write(file), os.ErrExist)
	after, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, before, after)
	require.Error(t, archive.Write(filepath.Join(t.TempDir(), "none", "a")))
}

// The archive hides each value that the configuration reference tells users to encrypt, even if the
// file has it in plain text.
func TestDocumentedSecretKeysAreRedactedByName(t *testing.T) {
	fields, err := configdocs.Fields("../../config")
	require.NoError(t, err)
	found := 0
	for _, field := range fields {
		if strings.Contains(field.Doc, "config set --secret") {
			found++
			assert.Contains(t, secretKeys, field.Key[strings.LastIndex(field.Key, ".")+1:],
				field.Key)
		}
	}
	assert.GreaterOrEqual(t, found, 4)
}

func TestStackFileIsShownWithoutSecrets(t *testing.T) {
	path := filepath.Join(t.TempDir(), "Pulumi.dev.yaml")
	require.NoError(t,
		os.WriteFile(path,
			[]byte("encryptionsalt: v1:salt\nconfig:\n  argocd: {root: {password: {secure: v1:x}, username: me}}\n"+
				"  strata:apps: {workloads: [{name: shop, secretEnv: {A: plain-text, B: {secure: "+
				"v1:y}}}]}\n  strata:k3s: {tlsSANs: [{secure: v1:z}]}\n"), 0o600))
	file := readStackFile(filepath.Dir(path), path)
	text, err := file.withoutSecrets(t.Context())
	require.NoError(t, err)
	for _, secret := range []string{"v1:", "plain-text", "salt"} {
		assert.NotContains(t, string(text), secret)
	}
	assert.Contains(t, string(text), "username: me")
	shown := `{"strata:argocd":{"objectValue":{"root":{"password":"p","username":"me"}}},"strata:k3s":{"value":"x","objectValue":{"tlsSANs":["z"]}},
		"strata:apps":{"objectValue":{"workloads":[{"secretEnv":{"A":"plain-text","B":"b"}}]}}}`
	var asked []string
	secrets, err := file.secrets(t.Context(),
		func(_ context.Context, _ []byte, args ...string) ([]byte, error) {
			asked = args
			return []byte(shown), nil
		}, "--stack", "dev")
	require.NoError(t, err)
	assert.Subset(t, secrets, []string{"plain-text", "p", "b", "z"},
		"a key without a namespace is the project's")
	assert.NotContains(t, secrets, "me")
	assert.Equal(t, []string{"config", "--show-secrets", "--json", "--stack", "dev"}, asked)
	_, err = file.secrets(t.Context(), func(context.Context, []byte, ...string) ([]byte, error) {
		return []byte(strings.Replace(shown, `"password":"p",`, "", 1)), nil
	})
	require.ErrorContains(t, err, "1 encrypted values", "what is not known cannot be taken out")
}

func TestUnreadableStackFileErrorHidesSecrets(t *testing.T) {
	path := filepath.Join(t.TempDir(), "Pulumi.dev.yaml")
	secrets, err := readStackFile(filepath.Dir(path), path).secrets(t.Context(), nil)
	require.NoError(t, err)
	assert.Empty(t, secrets)
	require.NoError(t, os.WriteFile(path, []byte("config: {a: hunter2: b"), 0o600))
	_, err = readStackFile(filepath.Dir(path), path).secrets(t.Context(), nil)
	require.Error(t, err)
	assert.NotContains(t, err.Error(), "hunter2")
	require.NoError(t, os.WriteFile(path, []byte("config: {strata:k3s: {version: v1}}"), 0o600))
	_, err = readStackFile(filepath.Dir(path), path).secrets(t.Context(), nil)
	require.NoError(t, err, "Pulumi is not asked where nothing is encrypted")
}

func TestArchiveContainsNewestRecordingsOfStack(t *testing.T) {
	project := t.TempDir()
	folder := filepath.Join(project, ".strata", "runs")
	require.NoError(t, os.MkdirAll(folder, 0o755))
	for i, name := range []string{"dev-up-1", "dev-up-2", "dev-up-3", "dev-up-4", "dev-up-5",
		"dev-up-6", "other-up-1"} {
		path := filepath.Join(folder, name+".jsonl")
		require.NoError(t, os.WriteFile(path, []byte(name), 0o600))
		require.NoError(t, os.Chtimes(path, time.Time{}, time.Unix(int64(i), 0)))
	}
	require.NoError(t, os.Symlink("dev-up-6.jsonl", filepath.Join(folder, "dev-up.jsonl")))
	files, err := runs(project, "dev")
	require.NoError(t, err)
	require.Len(t, files, newest)
	assert.Equal(t, File{"runs/dev-up-6.jsonl", []byte("dev-up-6")}, files[0])
	files, err = runs(t.TempDir(), "dev")
	require.NoError(t, err)
	assert.Empty(t, files)
}
