{{- /*
Options of a tree of values: one line "- --PATH.KEY=VALUE" for each leaf that is set. The chart's
values have the names of Traefik's options, and Traefik ignores the case of option names.
*/}}
{{- define "traefik.options" }}
{{- $path := .path }}
{{- range $key, $value := .tree }}
{{- $option := printf "%s.%s" $path $key }}
{{- if kindIs "map" $value }}
{{- include "traefik.options" (dict "path" $option "tree" $value) }}
{{- else if kindIs "slice" $value }}
{{- with $value }}
- {{ printf "--%s=%s" $option (join "," .) | quote }}
{{- end }}
{{- else if not (or (kindIs "invalid" $value) (eq (toString $value) "")) }}
- {{ kindIs "float64" $value | ternary (printf "--%s=%v" $option (int64 $value)) (printf "--%s=%v" $option $value) | quote }}
{{- end }}
{{- end }}
{{- end }}

{{- /* Options of the entry points: addresses, redirections, TLS and all others that are set. */}}
{{- define "traefik.entryPoints" }}
{{- range $name, $port := .Values.ports }}
{{- $path := printf "entryPoints.%s" $name }}
- {{ printf "--%s.address=:%d/%s" $path (int $port.port) (lower $port.protocol) | quote }}
{{- $own := omit $port "port" "expose" "exposedPort" "protocol" "targetPort" "nodePort" "appProtocol" "http" }}
{{- include "traefik.options" (dict "path" $path "tree" $own) }}
{{- with $port.http }}
{{- include "traefik.options" (dict "path" (printf "%s.http" $path) "tree" (omit . "redirections" "tls")) }}
{{- with (.redirections).entryPoint }}
{{- $to := index $.Values.ports .to | required (printf "ports.%s redirects to %s, which is not in ports" $name .to) }}
- {{ printf "--%s.http.redirections.entryPoint.to=:%d" $path (int $to.exposedPort) | quote }}
{{- include "traefik.options" (dict "path" (printf "%s.http.redirections.entryPoint" $path) "tree" (omit . "to")) }}
{{- end }}
{{- if (.tls).enabled }}
- {{ printf "--%s.http.tls=true" $path | quote }}
{{- include "traefik.options" (dict "path" (printf "%s.http.tls" $path) "tree" (omit .tls "enabled")) }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{- /* Options of the providers: which are enabled, what they watch, and the address that they report. */}}
{{- define "traefik.providers" }}
{{- with .Values.providers.kubernetesCRD }}
{{- if .enabled }}
- "--providers.kubernetescrd"
{{- include "traefik.options" (dict "path" "providers.kubernetescrd" "tree" (omit . "enabled")) }}
{{- end }}
{{- end }}
{{- with .Values.providers.kubernetesIngress }}
{{- if .enabled }}
- "--providers.kubernetesingress"
{{- include "traefik.options" (dict "path" "providers.kubernetesingress" "tree" (omit . "enabled" "publishedService")) }}
{{- if and .publishedService.enabled (or $.Values.service.enabled .publishedService.pathOverride) }}
{{- $own := printf "%s/%s" $.Release.Namespace (include "traefik.fullname" $) }}
- {{ printf "--providers.kubernetesingress.ingressendpoint.publishedservice=%s" (default $own .publishedService.pathOverride) | quote }}
{{- end }}
{{- end }}
{{- end }}
{{- with .Values.providers.kubernetesGateway }}
{{- if .enabled }}
- "--providers.kubernetesgateway"
{{- include "traefik.options" (dict "path" "providers.kubernetesgateway" "tree" (omit . "enabled" "statusAddress")) }}
{{- $status := "providers.kubernetesgateway.statusaddress" }}
{{- include "traefik.options" (dict "path" $status "tree" (omit .statusAddress "service")) }}
{{- with .statusAddress.service }}
{{- if and .enabled $.Values.service.enabled }}
- {{ printf "--%s.service.name=%s" $status (default (include "traefik.fullname" $) .name) | quote }}
- {{ printf "--%s.service.namespace=%s" $status (default $.Release.Namespace .namespace) | quote }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}

{{- /* The whole command line. */}}
{{- define "traefik.arguments" }}
{{- include "traefik.options" (dict "path" "global" "tree" .Values.global) }}
{{- include "traefik.entryPoints" . }}
{{- include "traefik.options" (dict "path" "api" "tree" .Values.api) }}
- "--ping=true"
{{- if .Values.metrics.addInternals }}
- "--metrics.addinternals=true"
{{- end }}
{{- with .Values.metrics.prometheus }}
- "--metrics.prometheus=true"
{{- include "traefik.options" (dict "path" "metrics.prometheus" "tree" (omit . "service")) }}
{{- end }}
{{- include "traefik.providers" . }}
{{- include "traefik.options" (dict "path" "log" "tree" .Values.log) }}
{{- if .Values.accessLog.enabled }}
- "--accesslog=true"
{{- include "traefik.options" (dict "path" "accesslog" "tree" (omit .Values.accessLog "enabled")) }}
{{- end }}
{{- range .Values.additionalArguments }}
- {{ quote . }}
{{- end }}
{{- end }}
