{{- define "vault.environment" -}}
- name: HOST_IP
  valueFrom: {fieldRef: {fieldPath: status.hostIP}}
- name: POD_IP
  valueFrom: {fieldRef: {fieldPath: status.podIP}}
- name: HOSTNAME
  valueFrom: {fieldRef: {fieldPath: metadata.name}}
- name: VAULT_K8S_POD_NAME
  valueFrom: {fieldRef: {fieldPath: metadata.name}}
- name: VAULT_K8S_NAMESPACE
  valueFrom: {fieldRef: {fieldPath: metadata.namespace}}
- name: VAULT_ADDR
  value: {{ include "vault.scheme" . }}://127.0.0.1:8200
- name: VAULT_API_ADDR
  value: {{ include "vault.scheme" . }}://$(POD_IP):8200
- name: VAULT_CLUSTER_ADDR
  value: https://$(HOSTNAME).{{ include "vault.fullname" . }}-internal:8201
- name: HOME
  value: /home/vault
{{- with .Values.server.logLevel }}
- name: VAULT_LOG_LEVEL
  value: {{ quote . }}
{{- end }}
{{- with .Values.server.logFormat }}
- name: VAULT_LOG_FORMAT
  value: {{ quote . }}
{{- end }}
{{- range $name, $value := .Values.server.extraEnvironmentVars }}
- name: {{ $name }}
  value: {{ quote $value }}
{{- end }}
{{- range .Values.server.extraSecretEnvironmentVars }}
- name: {{ .envName }}
  valueFrom:
    secretKeyRef:
      name: {{ .secretName }}
      key: {{ .secretKey }}
{{- end }}
{{- end }}

{{- /* A probe: an HTTP request to path, or without a path, the command `vault status`. */}}
{{- define "vault.probe" -}}
{{- if .probe.path }}
httpGet:
  path: {{ .probe.path | quote }}
  port: {{ .probe.port }}
  scheme: {{ include "vault.scheme" .root | upper }}
{{- else }}
exec:
  command: [vault, status, -tls-skip-verify]
{{- end }}
{{ omit .probe "enabled" "path" "port" | toYaml }}
{{- end }}

{{- define "vault.container" -}}
- name: vault
  image: {{ .Values.server.image.repository }}:{{ .Values.server.image.tag }}
  imagePullPolicy: {{ .Values.server.image.pullPolicy }}
  # The official chart first copies the configuration with a shell (see values.yaml).
  command: [vault, server, -config=/vault/config/extraconfig-from-values.hcl]
  {{- with .Values.server.extraArgs }}
  args:
    {{- splitList " " . | toYaml | nindent 4 }}
  {{- end }}
  env:
    {{- include "vault.environment" . | nindent 4 }}
  ports:
    - name: {{ include "vault.scheme" . }}
      containerPort: 8200
    - name: https-internal
      containerPort: 8201
    - name: {{ include "vault.scheme" . }}-rep
      containerPort: 8202
  {{- range $kind := list "readinessProbe" "livenessProbe" }}
  {{- with index $.Values.server $kind }}
  {{- if .enabled }}
  {{ $kind }}:
    {{- include "vault.probe" (dict "root" $ "probe" .) | trim | nindent 4 }}
  {{- end }}
  {{- end }}
  {{- end }}
  lifecycle:
    preStop:
      sleep:
        seconds: {{ .Values.server.preStopSleepSeconds }}
  resources:
    {{- toYaml .Values.server.resources | nindent 4 }}
  securityContext:
    allowPrivilegeEscalation: false
  volumeMounts:
    - name: config
      mountPath: /vault/config
    - name: home
      mountPath: /home/vault
    {{- if .Values.server.dataStorage.enabled }}
    - name: data
      mountPath: {{ .Values.server.dataStorage.mountPath }}
    {{- end }}
    {{- with .Values.server.volumeMounts }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
{{- end }}
