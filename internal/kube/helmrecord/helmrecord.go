// Package helmrecord reads and writes the records in which Helm keeps the revisions of a release.
package helmrecord

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"
)

// Selector returns the label selector of a release's records in its namespace.
func Selector(release string) string { return "owner=helm,name=" + release }

// Revision returns the number of the revision that a Secret records; 0 if it has none.
func Revision(secret corev1.Secret) int {
	number, err := strconv.Atoi(secret.Labels["version"])
	if err != nil {
		return 0
	}
	return number
}

// Newest returns the Secret with the highest revision. secrets must not be empty.
func Newest(secrets []corev1.Secret) *corev1.Secret {
	newest := slices.MaxFunc(secrets, func(a, b corev1.Secret) int {
		return Revision(a) - Revision(b)
	})
	return &newest
}

// Decode reads a Secret's record: JSON, gzipped, in base64
// (helm.sh/helm/v3/pkg/storage/driver/util.go).
func Decode(secret *corev1.Secret) (map[string]any, error) {
	record := map[string]any{}
	compressed, err := base64.StdEncoding.DecodeString(string(secret.Data["release"]))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", secret.Name, err)
	}
	reader, err := gzip.NewReader(bytes.NewReader(compressed))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", secret.Name, err)
	}
	text, err := io.ReadAll(reader)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", secret.Name, err)
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&record); err != nil {
		return nil, fmt.Errorf("%s: %w", secret.Name, err)
	}
	return record, nil
}

// Encode returns the data of a Secret with the record.
func Encode(record map[string]any) (map[string][]byte, error) {
	text, err := json.Marshal(record)
	if err != nil {
		return nil, err
	}
	var compressed bytes.Buffer
	writer := gzip.NewWriter(&compressed)
	_, err = writer.Write(text)
	if err = errors.Join(err, writer.Close()); err != nil {
		return nil, err
	}
	return map[string][]byte{"release": []byte(
		base64.StdEncoding.EncodeToString(compressed.Bytes()))}, nil
}
