package revision

import (
	"encoding/binary"

	"go.etcd.io/bbolt"
	"google.golang.org/protobuf/encoding/protowire"
)

// addition adds one revision to an etcd database, in the format in which etcd writes it
// (server/storage/mvcc/kvstore_txn.go). changes is the number of puts and deletions written so far.
type addition struct {
	keys     *bbolt.Bucket
	revision uint64
	changes  uint64
}

// The fields of mvccpb.KeyValue (go.etcd.io/etcd/api/v3/mvccpb/kv.proto).
const (
	keyField protowire.Number = iota + 1
	createRevisionField
	modRevisionField
	versionField
	valueField
)

// remove writes the deletion of a key into the added revision.
func (a *addition) remove(key string) error {
	a.changes++
	return a.keys.Put(append(revisionKey(a.revision, a.changes), 't'),
		protowire.AppendString(protowire.AppendTag(nil, keyField, protowire.BytesType), key))
}

// put writes a new key with its value into the added revision.
func (a *addition) put(key string, value []byte) error {
	text := protowire.AppendString(protowire.AppendTag(nil, keyField, protowire.BytesType), key)
	for _, one := range []struct {
		field protowire.Number
		value uint64
	}{{createRevisionField, a.revision}, {modRevisionField, a.revision}, {versionField, 1}} {
		text = protowire.AppendVarint(protowire.AppendTag(text, one.field, protowire.VarintType),
			one.value)
	}
	a.changes++
	return a.keys.Put(revisionKey(a.revision, a.changes),
		protowire.AppendBytes(protowire.AppendTag(text, valueField, protowire.BytesType), value))
}

// objectKey returns the key in an encoded mvccpb.KeyValue, objectValue the value; empty if it has
// none.
func objectKey(text []byte) string   { return string(fieldOf(text, keyField)) }
func objectValue(text []byte) []byte { return fieldOf(text, valueField) }

func fieldOf(text []byte, wanted protowire.Number) []byte {
	for len(text) > 0 {
		field, kind, size := protowire.ConsumeTag(text)
		if size < 0 {
			return nil
		}
		text = text[size:]
		if field == wanted && kind == protowire.BytesType {
			value, size := protowire.ConsumeBytes(text)
			if size < 0 {
				return nil
			}
			return value
		}
		if size = protowire.ConsumeFieldValue(field, kind, text); size < 0 {
			return nil
		}
		text = text[size:]
	}
	return nil
}

// revisionSize is the length of a revisionKey. For a deletion, etcd appends a "t" to it.
const revisionSize = 8 + 1 + 8

// revisionKey returns a revision as etcd encodes it: the number of the transaction, an underscore,
// and the number of the change in the transaction.
func revisionKey(revision, change uint64) []byte {
	key := binary.BigEndian.AppendUint64(nil, revision)
	return binary.BigEndian.AppendUint64(append(key, '_'), change)
}
