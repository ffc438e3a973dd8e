package revision

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"go.etcd.io/bbolt"
)

// Names of etcd's buckets, and of the key with the revision to which etcd compacts
// (go.etcd.io/etcd/server/v3/storage/schema/bucket.go).
var (
	keyBucket, metaBucket = []byte("key"), []byte("meta")
	scheduledCompact      = []byte("scheduledCompactRev")
)

// perSecond is an upper bound of the revisions that a cluster writes per second, on average between
// two restores.
const perSecond = 1000

// Edit describes the changes to the objects in the copy of a snapshot. The zero value changes no
// object.
type Edit struct {
	// Forget reports whether to delete the object with an etcd key. Nil deletes no object.
	Forget func(key string) bool
	// Tokens lists the server tokens, the current one last. The copy's cluster keys are encrypted
	// with the current token. If Tokens is empty, the keys are not changed.
	Tokens []string
}

// PutAhead copies the snapshot from, which K3s may have compressed (.zip), to the new file to. The
// copy's revision is higher than any that the cluster can have had, and all revisions before it are
// marked as compacted. A client that watches from an earlier revision gets the error 410 Gone, and
// lists again. `etcdutl snapshot restore --bump-revision --mark-compacted` changes the restored
// data in the same way (etcd.io/docs/v3.6/op-guide/recovery/#revision-difference).
//
// The new revision grows with now, so that a second restore of the same snapshot does not reuse the
// revisions of the first. After an error, to does not exist.
func PutAhead(from, to string, now time.Time, edit Edit) (err error) {
	file, err := os.OpenFile(to, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, file.Close())
		if err != nil {
			err = errors.Join(fmt.Errorf("snapshot %s: %w", filepath.Base(from), err),
				os.Remove(to))
		}
	}()
	if err := unpack(from, file); err != nil {
		return err
	}
	if err := cutSum(file); err != nil {
		return err
	}
	if err := raise(to, uint64(now.Unix())*perSecond, edit); err != nil { //nolint:gosec // the clock is behind 1970 in no stack
		return err
	}
	return addSum(file)
}

// unpack copies a snapshot, and decompresses a .zip file.
func unpack(from string, to io.Writer) error {
	var source io.ReadCloser
	var err error
	if strings.HasSuffix(from, ".zip") {
		archive, openErr := zip.OpenReader(from)
		if openErr != nil {
			return openErr
		}
		defer archive.Close() //nolint:errcheck // read only.
		if len(archive.File) != 1 {
			return fmt.Errorf("expected an archive of one file, found %d", len(archive.File))
		}
		source, err = archive.File[0].Open()
	} else {
		source, err = os.Open(from)
	}
	if err != nil {
		return err
	}
	defer source.Close() //nolint:errcheck // read only.
	_, err = io.Copy(to, source)
	return err
}

// cutSum removes the SHA-256 sum at the end of an etcd snapshot. It fails if the sum does not
// match.
func cutSum(file *os.File) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	size := info.Size() - sha256.Size
	sum := sha256.New()
	if size <= 0 {
		return errors.New("damaged: it is shorter than a sha256")
	}
	if _, err := io.Copy(sum, io.NewSectionReader(file, 0, size)); err != nil {
		return err
	}
	said := make([]byte, sha256.Size)
	if _, err := file.ReadAt(said, size); err != nil {
		return err
	}
	if !bytes.Equal(said, sum.Sum(nil)) {
		return fmt.Errorf("damaged: its %d bytes do not end with the sha256 of those before",
			info.Size())
	}
	return file.Truncate(size)
}

// addSum appends the SHA-256 sum of the whole file.
func addSum(file *os.File) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, io.NewSectionReader(file, 0, info.Size())); err != nil {
		return err
	}
	_, err = file.WriteAt(sum.Sum(nil), info.Size())
	return err
}

// raise adds a revision to an etcd database: the latest revision plus by. The new revision contains
// only the changes of edit. At its next start, etcd compacts all earlier revisions.
func raise(path string, by uint64, edit Edit) error {
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{Timeout: time.Second, NoFreelistSync: true})
	if err != nil {
		return err
	}
	err = db.Update(func(tx *bbolt.Tx) error {
		keys, meta := tx.Bucket(keyBucket), tx.Bucket(metaBucket)
		if keys == nil || meta == nil {
			return errors.New("expected etcd's buckets key and meta, found other data")
		}
		last, _ := keys.Cursor().Last()
		if len(last) < 8 {
			return errors.New("it holds no revision")
		}
		next := &addition{keys: keys, revision: binary.BigEndian.Uint64(last) + by}
		if len(edit.Tokens) > 0 {
			if err := next.rekey(edit.Tokens); err != nil {
				return err
			}
		}
		first := revisionKey(next.revision, 0)
		return errors.Join(next.forget(edit.Forget), keys.Put(first, nil),
			meta.Put(scheduledCompact, first))
	})
	return errors.Join(err, db.Close())
}

// forget deletes the objects for whose keys names returns true.
func (a *addition) forget(names func(key string) bool) error {
	if names == nil {
		return nil
	}
	named := map[string]bool{}
	err := a.keys.ForEach(func(_, value []byte) error {
		if key := objectKey(value); key != "" && names(key) {
			named[key] = true
		}
		return nil
	})
	for _, key := range slices.Sorted(maps.Keys(named)) {
		err = errors.Join(err, a.remove(key))
	}
	return err
}
