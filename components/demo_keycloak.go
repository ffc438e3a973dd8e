package components

import (
	"encoding/json"
	"fmt"
)

// keycloakImage is the image of Keycloak, and httpbinImage that of go-httpbin.
const (
	keycloakImage = "quay.io/keycloak/keycloak:26.5.6"
	httpbinImage  = "ghcr.io/mccutchen/go-httpbin:2.18.3"
)

// keycloakMemory and keycloakMemoryLimit are Keycloak's memory request and limit. Keycloak's heap
// starts at 50 % of the limit and grows up to 70 % of the limit. Without a limit, the percentages
// are of the node's memory (www.keycloak.org/server/containers, "Specifying different memory
// settings": at least 750 MB). The limit is the sizing guide's result without users: (1250 MB - 300
// MB) / 0.7 (www.keycloak.org/high-availability, "Concepts for sizing CPU and memory").
const keycloakMemory, keycloakMemoryLimit = "768Mi", "1360Mi"

// keycloak registers Keycloak, its realm and its route.
func (d *demo) keycloak() error {
	host := "keycloak." + d.args.Domain
	realm, err := json.Marshal(demoRealm("https://oidc." + d.args.Domain))
	if err != nil {
		return err
	}
	err = d.object("realm", "kubernetes:core/v1:ConfigMap", object{
		"apiVersion": "v1", "kind": "ConfigMap",
		"metadata": demoMetadata("keycloak-realm", nil),
		"data":     object{"demo-realm.json": string(realm)},
	})
	if err != nil {
		return err
	}
	value := func(name, value string) object {
		return object{"name": name, "value": value}
	}
	secret := func(name, key string) object {
		return object{"name": name, "valueFrom": object{
			"secretKeyRef": object{"name": keycloakSecret, "key": key},
		}}
	}
	err = d.serve(workload{
		name: "keycloak", image: keycloakImage, port: 8080, ready: "/health/ready", readyPort: 9000,
		memory: keycloakMemory, memoryLimit: keycloakMemoryLimit,
		args: []string{"start", "--import-realm"}, config: "keycloak-realm",
		mount: "/opt/keycloak/data/import",
		env: array{
			// The token issuer's URL must be the same for APISIX and the browser.
			value("KC_HOSTNAME", "https://"+host),
			// APISIX calls Keycloak by its Service, so the public name need not resolve in the
			// cluster.
			value("KC_HOSTNAME_BACKCHANNEL_DYNAMIC", "true"),
			value("KC_HTTP_ENABLED", "true"), value("KC_PROXY_HEADERS", "xforwarded"),
			value("KC_HEALTH_ENABLED", "true"),
			value("KC_DB", "dev-file"), value("KC_BOOTSTRAP_ADMIN_USERNAME", "admin"),
			secret("KC_BOOTSTRAP_ADMIN_PASSWORD", "admin"),
			secret("DEMO_CLIENT_SECRET", "client"), secret("DEMO_USER_PASSWORD", "user"),
		},
	})
	if err != nil {
		return err
	}
	_, err = d.registerCustomResource("keycloak-route", "gateway.networking.k8s.io/v1", "HTTPRoute", "keycloak",
		demoHTTPRoute(host, "keycloak"))
	return err
}

// login registers a second route to httpbin, which requires a login at Keycloak.
func (d *demo) login() error {
	host := "oidc." + d.args.Domain
	plugins, err := d.registerCustomResource("login-plugins", "apisix.apache.org/v2", "ApisixPluginConfig",
		"login", demoPlugins("openid-connect", object{
			"client_id": demoClient,
			"discovery": fmt.Sprintf(
				"http://keycloak.%s.svc.cluster.local/realms/demo/.well-known/openid-configuration",
				demoNamespace),
			"realm": "demo", "scope": "openid profile",
			"bearer_only":  false,
			"redirect_uri": "https://" + host + "/callback", // a path of the route that httpbin does not use
		}, demoLogin), d.loginSecret)
	if err != nil {
		return err
	}
	_, err = d.registerCustomResource("login-route", "apisix.apache.org/v2", "ApisixRoute", "httpbin-login",
		demoApisixRoute("httpbin", host, "login"), plugins)
	return err
}

// demoRealm returns the realm that Keycloak imports when it starts. application is the URL to which
// logins may redirect. Keycloak replaces ${…} by environment variables, so the ConfigMap contains
// no secret.
func demoRealm(application string) map[string]any {
	return map[string]any{
		"realm": "demo", "enabled": true,
		"clients": []any{map[string]any{
			"clientId": demoClient, "enabled": true, "protocol": "openid-connect",
			"publicClient": false, "standardFlowEnabled": true,
			"secret": "${DEMO_CLIENT_SECRET}", "redirectUris": []any{application + "/*"},
		}},
		"users": []any{map[string]any{
			"username": demoUser, "enabled": true, "email": "demo@example.org",
			"emailVerified": true, "firstName": "Demo", "lastName": "User",
			"credentials": []any{map[string]any{"type": "password",
				"value": "${DEMO_USER_PASSWORD}", "temporary": false}},
		}},
	}
}
