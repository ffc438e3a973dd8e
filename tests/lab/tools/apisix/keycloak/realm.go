package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// realm has the fields of Keycloak's realm representation that the stand-in reads.
type realm struct {
	Realm   string   `json:"realm"`
	Enabled bool     `json:"enabled"`
	Clients []client `json:"clients"`
	Users   []user   `json:"users"`
}

type client struct {
	ID        string   `json:"clientId"`
	Secret    string   `json:"secret"`
	Redirects []string `json:"redirectUris"`
}

type user struct {
	Username    string `json:"username"`
	Email       string `json:"email"`
	Credentials []struct {
		Type  string `json:"type"`
		Value string `json:"value"`
	} `json:"credentials"`
}

// placeholder matches a reference to an environment variable in a realm file, ${NAME}.
var placeholder = regexp.MustCompile(`\$\{([A-Z0-9_]+)\}`)

// readRealms reads every JSON file in the import folder, and replaces placeholders by the values of
// variables.
func readRealms(folder string, getenv func(string) string) (map[string]*realm, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil {
		return nil, err
	}
	realms := map[string]*realm{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		filled := placeholder.ReplaceAllStringFunc(string(text), func(found string) string {
			value, err := json.Marshal(getenv(placeholder.FindStringSubmatch(found)[1]))
			if err != nil {
				return found
			}
			return strings.Trim(string(value), `"`)
		})
		one := &realm{}
		if err := json.Unmarshal([]byte(filled), one); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		realms[one.Realm] = one
	}
	if len(realms) == 0 {
		return nil, errors.New(folder + ": no realm to import")
	}
	return realms, nil
}

func (r *realm) client(id string) *client {
	for i := range r.Clients {
		if r.Clients[i].ID == id {
			return &r.Clients[i]
		}
	}
	return nil
}

// allows reports whether a login may redirect to an address. A listed address that ends in * allows
// all addresses with this prefix.
func (c *client) allows(address string) bool {
	for _, known := range c.Redirects {
		prefix, wild := strings.CutSuffix(known, "*")
		if known == address || wild && strings.HasPrefix(address, prefix) {
			return true
		}
	}
	return false
}

// user returns the user with a name and a password; nil if there is none.
func (r *realm) user(name, password string) *user {
	for i, one := range r.Users {
		for _, credential := range one.Credentials {
			if one.Username == name && credential.Type == "password" && credential.Value != "" &&
				credential.Value == password {
				return &r.Users[i]
			}
		}
	}
	return nil
}
