{{- /*
The components, by the name of their section in the values: command, ports, the ports that probes use
(/healthz), and mount paths of volumes.
*/}}
{{- define "argo-cd.components" -}}
{{- $full := include "argo-cd.fullname" . -}}
server:
  kind: Deployment
  name: server
  args: [/usr/local/bin/argocd-server, --port=8080, --metrics-port=8083]
  self: ARGOCD_SERVER_NAME
  ports: {server: 8080, metrics: 8083}
  ready: server
  alive: server
  mounts:
    ssh-known-hosts: /app/config/ssh
    tls-certs: /app/config/tls
    argocd-repo-server-tls: /app/config/server/tls
    plugins-home: /home/argocd
    tmp: /tmp
repoServer:
  kind: Deployment
  name: repo-server
  args: [/usr/local/bin/argocd-repo-server, --port=8081, --metrics-port=8084]
  self: ARGOCD_REPO_SERVER_NAME
  ports: {repo-server: 8081, metrics: 8084}
  ready: metrics
  alive: metrics
  mounts:
    ssh-known-hosts: /app/config/ssh
    tls-certs: /app/config/tls
    gpg-keys: /app/config/gpg/source
    gpg-keyring: /app/config/gpg/keys
    argocd-repo-server-tls: /app/config/reposerver/tls
    helm-working-dir: /helm-working-dir
    plugins: /home/argocd/cmp-server/plugins
    tmp: /tmp
controller:
  kind: StatefulSet
  name: application-controller
  args: [/usr/local/bin/argocd-application-controller, --metrics-port=8082]
  self: ARGOCD_APPLICATION_CONTROLLER_NAME
  ports: {metrics: 8082}
  ready: metrics
  mounts:
    argocd-repo-server-tls: /app/config/controller/tls
    argocd-home: /home/argocd
    tmp: /tmp
{{- if .Values.applicationSet.enabled }}
applicationSet:
  kind: Deployment
  name: applicationset-controller
  args: [/usr/local/bin/argocd-applicationset-controller, "--metrics-addr=:8080", "--probe-addr=:8081", "--webhook-addr=:7000"]
  ports: {metrics: 8080, probe: 8081, webhook: 7000}
  mounts:
    ssh-known-hosts: /app/config/ssh
    tls-certs: /app/config/tls
    gpg-keys: /app/config/gpg/source
    gpg-keyring: /app/config/gpg/keys
    argocd-repo-server-tls: /app/config/reposerver/tls
    tmp: /tmp
{{- end }}
{{- end }}

{{- /* The volumes that are not emptyDir. */}}
{{- define "argo-cd.volumes" -}}
ssh-known-hosts: {configMap: {name: argocd-ssh-known-hosts-cm}}
tls-certs: {configMap: {name: argocd-tls-certs-cm}}
gpg-keys: {configMap: {name: argocd-gpg-keys-cm}}
argocd-repo-server-tls:
  secret:
    secretName: argocd-repo-server-tls
    optional: true
    items: [{key: tls.crt, path: tls.crt}, {key: tls.key, path: tls.key}, {key: ca.crt, path: ca.crt}]
{{- end }}
