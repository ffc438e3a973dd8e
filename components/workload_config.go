package components

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"

	"strata/internal/pulumi/rerun"
)

// contents has the ConfigMaps and Secrets that a workload's Pods read.
type contents struct {
	// any is true if the workload has at least one ConfigMap or Secret. objects are all of them.
	any     bool
	objects []pulumi.Resource
	// hash is the keyed hash of the contents of all ConfigMaps and Secrets.
	hash pulumi.StringOutput
	// names are the names of the immutable ConfigMaps and Secrets.
	names pulumi.StringArray
	// files, secretFiles and secretEnv are the names of the ConfigMap or Secret with this role; nil
	// if the workload has no such object.
	files, secretFiles, secretEnv pulumi.StringInput
}

// contents registers the ConfigMaps and Secrets, and a random key for their hash. The hash needs a
// key because it is in plain text on the Pods and in the state, and a short secret could be guessed
// from a hash without a key.
func (w *workloadBuild) contents() error {
	cfg := w.args.Config
	if len(cfg.Files)+len(cfg.SecretFiles)+len(cfg.SecretEnv) == 0 {
		return nil
	}
	w.config.any = true
	key, err := newPassword(w.ctx, w.name+"-key", 32, childOf(w)...)
	if err != nil {
		return err
	}
	w.config.hash = keyedDigest(key.Result, "all", cfg.Files, cfg.SecretFiles, cfg.SecretEnv)
	w.Hash = w.config.hash
	for _, one := range []struct {
		role   string
		values map[string]string
		files  bool
		into   *pulumi.StringInput
	}{
		{"files", cfg.Files, true, &w.config.files},
		{"secret-files", cfg.SecretFiles, true, &w.config.secretFiles},
		{"env", cfg.SecretEnv, false, &w.config.secretEnv},
	} {
		if len(one.values) == 0 {
			continue
		}
		name, err := w.contentName(one.role, keyedDigest(key.Result, one.role, one.values))
		if err != nil {
			return err
		}
		if err := w.content(one.role, name, one.values, one.files); err != nil {
			return err
		}
		*one.into = name
	}
	return nil
}

// contentName returns an object's name. An immutable object gets a random suffix that changes with
// its contents and is never reused. A digest as the suffix would fail: going back to earlier
// contents after a failed rollout would create an object that still exists.
func (w *workloadBuild) contentName(
	role string, hash pulumi.StringOutput,
) (pulumi.StringInput, error) {
	name := w.args.Config.Name + "-" + role
	if !w.args.Config.ImmutableConfig {
		return pulumi.String(name), nil
	}
	attempt, err := rerun.Attempt(w.ctx, w.name+"-"+role, pulumi.StringMap{"contents": hash},
		childOf(w)...)
	if err != nil {
		return nil, err
	}
	full := pulumi.Sprintf("%s-%s", name, attempt)
	w.config.names = append(w.config.names, full)
	return full, nil
}

// content registers a ConfigMap for role files, and otherwise a Secret. files is true if the keys
// of values are paths.
func (w *workloadBuild) content(
	role string, name pulumi.StringInput, values map[string]string, files bool,
) error {
	data := object{}
	for key, value := range values {
		if files {
			key = fileKey(key)
		}
		data[key] = value
	}
	fields := object{"apiVersion": "v1", "metadata": w.metadata(name, nil)}
	token := "kubernetes:core/v1:ConfigMap"
	if role == "files" {
		fields["kind"], fields["data"] = "ConfigMap", data
	} else {
		token = "kubernetes:core/v1:Secret"
		fields["kind"], fields["type"] = "Secret", "Opaque"
		fields["stringData"] = pulumi.ToSecret(data)
	}
	if w.args.Config.ImmutableConfig {
		fields["immutable"] = true
		w.args.Cluster.objects.Add(fields["kind"].(string), w.args.Config.Namespace,
			w.args.Config.Name+"-"+role+"-"+rerun.WordPattern)
	}
	made, err := w.object(role, token, fields)
	if err != nil {
		return err
	}
	w.config.objects = append(w.config.objects, made)
	return nil
}

// keyedDigest returns an HMAC of role and values, 20 hex digits. It is not secret. Previews do not
// know it before the key is created.
func keyedDigest(key pulumi.StringOutput, role string, values ...map[string]string) pulumi.StringOutput {
	digest := key.ApplyT(func(key string) (string, error) {
		sum := hmac.New(sha256.New, []byte(key))
		text, err := json.Marshal(values) // sorts the keys
		if err != nil {
			return "", fmt.Errorf("hash of %s: %w", role, err)
		}
		_, _ = sum.Write([]byte(role + "\x00"))
		_, _ = sum.Write(text)
		return hex.EncodeToString(sum.Sum(nil)[:10]), nil
	}).(pulumi.StringOutput)
	return pulumi.Unsecret(digest).(pulumi.StringOutput)
}

// fileKey returns the key of a file in its ConfigMap or Secret. Keys may only have letters, digits,
// dashes, dots and underscores, so / becomes __ and each other byte becomes _ and its hex code.
// Different paths have different keys.
func fileKey(path string) string {
	var key strings.Builder
	for _, b := range []byte(strings.TrimPrefix(path, "/")) {
		switch {
		case b == '/':
			key.WriteString("__")
		case b == '-' || b == '.' || b >= '0' && b <= '9' || b >= 'A' && b <= 'Z' || b >= 'a' &&
			b <= 'z':
			key.WriteByte(b)
		default:
			fmt.Fprintf(&key, "_%02x", b)
		}
	}
	return key.String()
}

// paths returns the sorted keys of files.
func paths(files map[string]string) []string { return slices.Sorted(maps.Keys(files)) }
