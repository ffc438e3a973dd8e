package engine_test

// variant changes the configuration of a committed stack.
type variant struct {
	committed string
	tweak     func(s *stack)
}

// variants are stacks that have no committed file.
var variants = map[string]variant{
	"libvirt": {"proxmox", func(s *stack) {
		s.set("hosts", "driver", "libvirt")
		delete(s.config["strata:hosts"], "proxmox")
		delete(s.config["strata:hosts"], "hypervisor")
	}},
	"vip": {"staging", func(s *stack) { s.set("k3s", "vip", "10.10.0.10") }},
	"vault": {"local", func(s *stack) {
		s.set("certManager", "issuer", "vault")
		s.set("argocd", "root",
			section{"repoURL": "https://git.example.org/apps.git", "username": "reader",
				"password": "first"})
		s.set("apps", "wave", section{"enabled": true})
	}},
	"workload": {"local", func(s *stack) {
		s.set("ingress", "controllers", []any{"traefik"})
		s.set("argocd", "enabled", false)
		s.config["strata:apps"] = section{"workloads": []any{section{
			"name": "shop", "image": "docker.io/acme/shop:1.2.3", "certificate": section{},
			"routes": []any{section{}}, "canary": section{},
			"probes": section{"ready": "/ready"}, "files": section{"/etc/shop/config.yaml": "a: b"},
			"secretEnv": section{"TOKEN": "hunter2"},
		}}}
	}},
}
