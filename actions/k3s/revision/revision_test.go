package revision

import (
	"archive/zip"
	"crypto/sha256"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.etcd.io/bbolt"

	"strata/actions/k3s/token"
)

var now = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

// snapshot returns the path of a snapshot: a database whose latest revision, 41, is a deletion, and
// its SHA-256 sum.
func snapshot(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "on-demand-server-1-1795464917")
	db, err := bbolt.Open(path, 0o600, nil)
	require.NoError(t, err)
	require.NoError(t, db.Update(func(tx *bbolt.Tx) error {
		keys, err := tx.CreateBucket(keyBucket)
		require.NoError(t, err)
		_, err = tx.CreateBucket(metaBucket)
		require.NoError(t, err)
		require.NoError(t, keys.Put(revisionKey(40, 0), []byte("an object")))
		return keys.Put(append(revisionKey(41, 0), 't'), []byte("a deletion"))
	}))
	require.NoError(t, db.Close())
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	require.NoError(t, err)
	require.NoError(t, addSum(file))
	require.NoError(t, file.Close())
	return path
}

// read returns the latest revision of a snapshot, the revision to compact up to, and the object of
// revision 40.
func read(t *testing.T, path string) (latest, compacted uint64, object string) {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	bare := filepath.Join(t.TempDir(), "db")
	require.NoError(t, os.WriteFile(bare, text, 0o600))
	file, err := os.OpenFile(bare, os.O_RDWR, 0)
	require.NoError(t, err)
	require.NoError(t, cutSum(file), "etcd refuses one whose sum is wrong")
	require.NoError(t, file.Close())
	db, err := bbolt.Open(bare, 0o600, nil)
	require.NoError(t, err)
	require.NoError(t, db.View(func(tx *bbolt.Tx) error {
		last, _ := tx.Bucket(keyBucket).Cursor().Last()
		latest, object = binary.BigEndian.Uint64(last), string(tx.Bucket(keyBucket).Get(revisionKey(40, 0)))
		if scheduled := tx.Bucket(metaBucket).Get(scheduledCompact); scheduled != nil {
			compacted = binary.BigEndian.Uint64(scheduled)
		}
		return nil
	}))
	require.NoError(t, db.Close())
	return latest, compacted, object
}

func TestPutAheadRaisesRevisionBeyondClients(t *testing.T) {
	path := snapshot(t)
	before, err := os.ReadFile(path)
	require.NoError(t, err)
	to := path + "-ahead"
	require.NoError(t, PutAhead(path, to, now, Edit{}))
	latest, compacted, object := read(t, to)
	assert.Equal(t, 41+uint64(now.Unix())*1000, latest)
	assert.Equal(t, latest, compacted, "who watches from an earlier one is told")
	assert.Equal(t, "an object", object)
	info, err := os.Stat(to)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o600), info.Mode().Perm(), "it holds every Secret")
	after, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, before, after, "the snapshot stays as it was")

	// The snapshot is restored a second time, after the first restored cluster has served for ten
	// minutes.
	again := path + "-again"
	require.NoError(t, PutAhead(path, again, now.Add(10*time.Minute), Edit{}))
	later, _, _ := read(t, again)
	assert.Equal(t, latest+600*1000, later)
}

func TestCompressedSnapshotIsUnpacked(t *testing.T) {
	path := snapshot(t)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	file, err := os.Create(path + ".zip")
	require.NoError(t, err)
	archive := zip.NewWriter(file)
	inside, err := archive.Create(filepath.Base(path))
	require.NoError(t, err)
	_, err = inside.Write(text)
	require.NoError(t, err)
	require.NoError(t, archive.Close())
	require.NoError(t, file.Close())
	require.NoError(t, PutAhead(path+".zip", path+"-ahead", now, Edit{}))
	_, _, object := read(t, path+"-ahead")
	assert.Equal(t, "an object", object)
}

func TestPutAheadRefusesDamagedSnapshot(t *testing.T) {
	for name, damage := range map[string]func(path string) error{
		"a changed byte":   func(path string) error { return change(path, 5000) },
		"a changed sum":    func(path string) error { return change(path, -1) },
		"cut off":          func(path string) error { return os.Truncate(path, 4096) },
		"empty":            func(path string) error { return os.Truncate(path, 0) },
		"no etcd database": func(path string) error { return os.WriteFile(path, sealed("something else entirely"), 0o600) },
	} {
		t.Run(name, func(t *testing.T) {
			path := snapshot(t)
			require.NoError(t, damage(path))
			err := PutAhead(path, path+"-ahead", now, Edit{})
			require.ErrorContains(t, err, "snapshot on-demand-server-1-1795464917: ")
			assert.NoFileExists(t, path+"-ahead")
		})
	}
}

// change changes the byte at an offset; a negative one counts from the end.
func change(path string, at int) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	text[(at+len(text))%len(text)] ^= 1
	return os.WriteFile(path, text, 0o600)
}

// sealed returns a text with its SHA-256 sum appended.
func sealed(text string) []byte {
	sum := sha256.Sum256([]byte(text))
	return append([]byte(text), sum[:]...)
}

// kept returns the path of a snapshot with more keys, in revisions from 30 on. A pair without a
// value is a deletion.
func kept(t *testing.T, pairs ...[2]string) string {
	t.Helper()
	path := snapshot(t)
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	require.NoError(t, err)
	require.NoError(t, cutSum(file))
	db, err := bbolt.Open(path, 0o600, nil)
	require.NoError(t, err)
	require.NoError(t, db.Update(func(tx *bbolt.Tx) error {
		for i, pair := range pairs {
			one := &addition{keys: tx.Bucket(keyBucket), revision: uint64(30 + i)}
			if pair[1] == "" {
				require.NoError(t, one.remove(pair[0]))
			} else {
				require.NoError(t, one.put(pair[0], []byte(pair[1])))
			}
		}
		return nil
	}))
	require.NoError(t, db.Close())
	require.NoError(t, addSum(file))
	require.NoError(t, file.Close())
	return path
}

// K3s would wait for the Nodes of lost hosts, and refuse a new host of the same name.
func TestPutAheadDropsObjectsOfLostHosts(t *testing.T) {
	path := kept(t, [2]string{"/registry/minions/server-1", "x"},
		[2]string{"/registry/pods/default/web", "x"}, [2]string{"/registry/minions/server-1", "y"})
	require.NoError(t, PutAhead(path, path+"-ahead", now,
		Edit{Forget: func(key string) bool { return strings.HasPrefix(key, "/registry/minions/") }}))
	db, err := bbolt.Open(path+"-ahead", 0o600, nil)
	require.NoError(t, err)
	require.NoError(t, db.View(func(tx *bbolt.Tx) error {
		last, deleted := tx.Bucket(keyBucket).Cursor().Last()
		next := 41 + uint64(now.Unix())*perSecond
		assert.Equal(t, append(revisionKey(next, 1), 't'), last, "once")
		assert.Equal(t, "/registry/minions/server-1", objectKey(deleted))
		assert.Equal(t, revisionKey(next, 0), tx.Bucket(metaBucket).Get(scheduledCompact))
		return nil
	}))
	require.NoError(t, db.Close())
}

// In a snapshot from before a rotation, the former token encrypts the cluster's keys. K3s does not
// start with that token any more.
func TestPutAheadReencryptsKeysForWantedToken(t *testing.T) {
	sealedBy := func(password string) [2]string {
		text, err := seal(password, []byte("the cluster's keys of "+password))
		require.NoError(t, err)
		return [2]string{token.Key(password), string(text)}
	}
	tokens := []string{"first", "second", "third"}
	for name, test := range map[string]struct {
		pairs [][2]string
		opens string
		says  string
	}{
		"the wanted token": {[][2]string{sealedBy("third")}, "third", ""},
		"a former token":   {[][2]string{sealedBy("first")}, "first", ""},
		"a completed rotation": {[][2]string{sealedBy("first"), sealedBy("second"),
			{token.Key("first"), ""}}, "second", ""},
		"an interrupted rotation": {[][2]string{sealedBy("second"), sealedBy("third")}, "third", ""},
		"another cluster": {[][2]string{sealedBy("foreign")}, "",
			"it is not of this cluster: none of the stack's 3 tokens"},
		"a deleted key": {[][2]string{sealedBy("first"),
			{token.Key("first"), ""}}, "", "not of this cluster"},
	} {
		t.Run(name, func(t *testing.T) {
			path := kept(t, test.pairs...)
			err := PutAhead(path, path+"-ahead", now, Edit{Tokens: tokens})
			if test.says != "" {
				require.ErrorContains(t, err, test.says)
				return
			}
			require.NoError(t, err)
			material := materialOf(t, path+"-ahead")
			text, err := open("third", material[token.Key("third")])
			require.NoError(t, err)
			assert.Equal(t, "the cluster's keys of "+test.opens, string(text))
			if test.opens != "third" {
				assert.NotContains(t, material, token.Key(test.opens))
			}
		})
	}
}

func materialOf(t *testing.T, path string) (material map[string][]byte) {
	t.Helper()
	db, err := bbolt.Open(path, 0o600, nil)
	require.NoError(t, err)
	require.NoError(t, db.View(func(tx *bbolt.Tx) error {
		material, err = keyMaterial(tx.Bucket(keyBucket))
		return err
	}))
	require.NoError(t, db.Close())
	return material
}
