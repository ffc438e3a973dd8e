package config

import (
	"path"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
)

// content checks environment variables and files. Their values are never shown, because they may be
// secret.
func (w workloadCheck) content() {
	for _, one := range []struct {
		key    string
		values map[string]string
	}{{"env", w.w.Env}, {"secretEnv", w.w.SecretEnv}} {
		for name := range one.values {
			w.addIf(len(validation.IsEnvVarName(name)) > 0 || strings.ContainsAny(name, ".-"),
				w.key("%s[%q]", one.key, name), "", "is not the name of an environment variable",
				"use letters, digits and underscores")
		}
	}
	for name := range w.w.SecretEnv {
		if _, both := w.w.Env[name]; both {
			w.add(w.key("secretEnv[%q]", name), "", "is in env as well", "remove one")
		}
	}
	for _, one := range []struct {
		key    string
		values map[string]string
	}{{"files", w.w.Files}, {"secretFiles", w.w.SecretFiles}} {
		for file := range one.values {
			w.addIf(!path.IsAbs(file) || path.Clean(file) != file || file == "/",
				w.key("%s[%q]", one.key, file), "", "is not an absolute path of a file",
				"write for example /etc/shop/config.yaml")
			if c := w.w.Certificate; c != nil && strings.HasPrefix(file, c.Mount+"/") {
				w.add(w.key("%s[%q]", one.key, file), "",
					"is in certificate.mount, which holds the certificate and nothing else",
					"choose another folder")
			}
		}
	}
	for file := range w.w.SecretFiles {
		if _, both := w.w.Files[file]; both {
			w.add(w.key("secretFiles[%q]", file), "", "is in files as well", "remove one")
		}
	}
}
