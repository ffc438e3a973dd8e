package catalog_test

// release is a chart of the bundle, with the release name and the values that Strata uses.
type release struct {
	step, name, namespace string
	// values is the text of a Helm values file.
	values string
	// workloads are the names of the objects that run Pods.
	workloads []string
}

// releases are all charts of the bundle, with the values that rendering needs.
var releases = []release{
	{
		step: "metallb-chart", name: "metallb", namespace: "metallb-system",
		values:    "{frrk8s: {enabled: false}, speaker: {frr: {enabled: false}}}",
		workloads: []string{"metallb-controller", "metallb-speaker"},
	},
	{
		step: "cert-manager-chart", name: "cert-manager", namespace: "cert-manager",
		values: `
crds: {enabled: true, keep: true}
replicaCount: 2
podDisruptionBudget: {enabled: true}
webhook: {replicaCount: 3, podDisruptionBudget: {enabled: true}}
cainjector: {replicaCount: 2, podDisruptionBudget: {enabled: true}}
config: {apiVersion: controller.config.cert-manager.io/v1alpha1, kind: ControllerConfiguration, enableGatewayAPI: true}
startupapicheck: {enabled: false}
`,
		workloads: []string{"cert-manager", "cert-manager-cainjector", "cert-manager-webhook"},
	},
	{
		step: "traefik-chart", name: "traefik", namespace: "traefik",
		values: `
deployment: {replicas: 2, minReadySeconds: 10, terminationGracePeriodSeconds: 60, lifecycle: {preStop: {sleep: {seconds: 10}}}}
updateStrategy: {type: RollingUpdate, rollingUpdate: {maxUnavailable: 0, maxSurge: 1}}
podDisruptionBudget: {enabled: true, maxUnavailable: 1}
topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: ScheduleAnyway
    labelSelector: {matchLabels: {app.kubernetes.io/name: traefik}}
ingressClass: {enabled: true, isDefaultClass: true, name: traefik}
providers:
  kubernetesCRD: {enabled: true, allowCrossNamespace: false}
  kubernetesIngress: {enabled: true, publishedService: {enabled: true}}
  kubernetesGateway: {enabled: true, experimentalChannel: false, statusAddress: {service: {enabled: true}}}
gateway:
  enabled: true
  listeners:
    web: {port: 8000, protocol: HTTP, namespacePolicy: {from: All}}
    websecure: {port: 8443, protocol: HTTPS, certificateRefs: [{name: gateway-tls}]}
gatewayClass: {enabled: true, name: traefik}
service:
  annotations: {metallb.io/loadBalancerIPs: 192.168.1.240}
  spec: {type: LoadBalancer, externalTrafficPolicy: Cluster}
ports:
  web:
    transport: {lifeCycle: {requestAcceptGraceTimeout: 0s, graceTimeOut: 30s}, keepAliveMaxTime: 5s}
    http: {redirections: {entryPoint: {to: websecure, scheme: https, permanent: true}}}
  websecure:
    transport: {lifeCycle: {requestAcceptGraceTimeout: 0s, graceTimeOut: 30s}, keepAliveMaxTime: 5s}
ingressRoute:
  dashboard:
    enabled: true
    entryPoints: [websecure]
    matchRule: Host(` + "`t.example.org`) && (PathPrefix(`/dashboard`) || PathPrefix(`/api`)" + `)
    middlewares: [{name: dashboard-auth}]
    tls: {secretName: traefik-dashboard-tls}
metrics: {prometheus: {service: {enabled: true}}}
log: {level: DEBUG, format: json}
accessLog: {enabled: true}
tlsStore: {default: {defaultCertificate: {secretName: gateway-tls}}}
global: {checkNewVersion: false, sendAnonymousUsage: false}
resources: {requests: {cpu: 50m, memory: 64Mi}}
additionalArguments: ["--serversTransport.insecureSkipVerify=false"]
`,
		workloads: []string{"traefik"},
	},
	{
		step: "vault-chart", name: "vault", namespace: "vault",
		values: `
injector: {enabled: false}
server:
  standalone:
    enabled: true
    config: |
      listener "tcp" {
        address = "[::]:8200"
        tls_cert_file = "/vault/tls/tls.crt"
        tls_key_file = "/vault/tls/tls.key"
      }
      storage "file" { path = "/vault/data" }
  dataStorage: {enabled: false}
  extraEnvironmentVars: {VAULT_LOG_LEVEL: info}
  resources: {requests: {cpu: 50m, memory: 64Mi}}
  readinessProbe: {enabled: true, path: "/v1/sys/health?standbyok=true&sealedcode=204&uninitcode=204"}
  volumes: [{name: tls, secret: {secretName: vault-tls}}]
  volumeMounts: [{name: tls, mountPath: /vault/tls, readOnly: true}]
global: {tlsDisable: false}
ui: {enabled: false}
`,
		workloads: []string{"vault"},
	},
	{
		step: "apisix-chart", name: "apisix", namespace: "apisix",
		values: `
replicaCount: 2
etcd: {enabled: false}
priorityClassName: "null\n      terminationGracePeriodSeconds: 70"
podDisruptionBudget: {enabled: true, minAvailable: "", maxUnavailable: 1}
service: {type: LoadBalancer}
apisix:
  deployment: {role: traditional, role_traditional: {config_provider: yaml}}
  ssl: {enabled: true}
  prometheus: {enabled: true}
  admin: {credentials: {secretName: apisix-admin}}
`,
		workloads: []string{"apisix"},
	},
	{
		step: "apisix-controller-chart", name: "apisix-ingress-controller", namespace: "apisix",
		values:    "{config: {provider: {type: apisix-standalone}}, webhook: {failurePolicy: Fail}}",
		workloads: []string{"apisix-ingress-controller"},
	},
	{
		step: "argocd-chart", name: "argocd", namespace: "argocd",
		values: `
global: {domain: argocd.example.org}
crds: {install: false}
configs:
  params: {server.insecure: true}
  cm: {timeout.reconciliation: 30s}
  secret: {createSecret: true, argocdServerAdminPassword: hash, argocdServerAdminPasswordMtime: "2025-01-01T00:00:00Z"}
  repositories: {lab: {url: "https://git.example.org/x.git", type: git}}
redisSecretInit: {enabled: true}
dex: {enabled: false}
notifications: {enabled: false}
applicationSet: {replicas: 0}
server:
  replicas: 2
  pdb: {enabled: true, maxUnavailable: 1}
  ingress: {enabled: true, ingressClassName: traefik, tls: true}
repoServer: {replicas: 2}
`,
		workloads: []string{
			"argocd-server", "argocd-repo-server", "argocd-application-controller", "argocd-applicationset-controller",
			"argocd-redis", "argocd-redis-secret-init",
		},
	},
}
