module strata/tests/lab/tools/traefik

go 1.26.0

// Traefik's own replacements. Only the first differs: no proxy serves the version of 3.7.11.
replace (
	github.com/abbot/go-http-auth => github.com/containous/go-http-auth v0.4.1-0.20200324110947-a37a7636d23e
	github.com/gorilla/mux => github.com/containous/mux v0.0.0-20250523120546-41b6ec3aed59
	github.com/traefik/traefik/dynamic/ext => ./without/ext
)

// Stubs of modules that the lab does not use and that take most of the time to compile
// (tests/lab/README.md, "What is left out").
replace (
	github.com/go-acme/lego/v5 => ./without/lego
	github.com/google/go-github/v90 => ./without/go-github
	github.com/influxdata/influxdb-client-go/v2 => ./without/influxdb
	strata/tests/lab/tools/traefik/without => ./without
)

require (
	github.com/Masterminds/semver/v3 v3.5.0
	github.com/Masterminds/sprig/v3 v3.3.0
	github.com/aws/smithy-go v1.27.0
	github.com/coreos/go-systemd/v22 v22.7.0
	github.com/davecgh/go-spew v1.1.1
	github.com/desertbit/timer v1.0.1
	github.com/emicklei/go-restful/v3 v3.13.0
	github.com/go-jose/go-jose/v4 v4.1.3
	github.com/go-openapi/jsonpointer v0.21.0
	github.com/go-openapi/jsonreference v0.20.2
	github.com/go-openapi/swag v0.23.0
	github.com/grpc-ecosystem/grpc-gateway/v2 v2.28.0
	github.com/hashicorp/go-version v1.8.0
	github.com/json-iterator/go v1.1.12
	github.com/klauspost/compress v1.18.5
	github.com/mailru/easyjson v0.7.7
	github.com/mattn/go-isatty v0.0.20
	github.com/patrickmn/go-cache v2.1.1-0.20191004192108-46f407853014+incompatible
	github.com/pmezard/go-difflib v1.0.0
	github.com/prometheus/common v0.67.5
	github.com/prometheus/procfs v0.19.2
	github.com/quic-go/quic-go v0.59.1
	github.com/rs/cors v1.11.1
	github.com/spf13/cast v1.7.1
	github.com/traefik/traefik/v3 v3.7.11
	go.opentelemetry.io/otel v1.43.0
	go.opentelemetry.io/otel/exporters/otlp/otlplog/otlploggrpc v0.19.0
	go.opentelemetry.io/otel/exporters/otlp/otlplog/otlploghttp v0.19.0
	go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetricgrpc v1.43.0
	go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp v1.43.0
	go.opentelemetry.io/otel/exporters/otlp/otlptrace v1.42.0
	go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc v1.42.0
	go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp v1.42.0
	go.opentelemetry.io/otel/log v0.19.0
	go.opentelemetry.io/otel/metric v1.43.0
	go.opentelemetry.io/otel/sdk v1.43.0
	go.opentelemetry.io/otel/sdk/log v0.19.0
	go.opentelemetry.io/otel/sdk/metric v1.43.0
	go.opentelemetry.io/otel/trace v1.43.0
	go.yaml.in/yaml/v2 v2.4.3
	go.yaml.in/yaml/v3 v3.0.5
	golang.org/x/crypto v0.58.0
	golang.org/x/net v0.60.0
	golang.org/x/oauth2 v0.35.0
	golang.org/x/sync v0.24.0
	golang.org/x/sys v0.49.0
	golang.org/x/term v0.47.0
	golang.org/x/text v0.43.0
	golang.org/x/time v0.14.0
	google.golang.org/genproto/googleapis/api v0.0.0-20260401024825-9d38bb4040a9
	google.golang.org/genproto/googleapis/rpc v0.0.0-20260401024825-9d38bb4040a9
	google.golang.org/grpc v1.80.0
	gopkg.in/evanphx/json-patch.v4 v4.13.0
	k8s.io/api v0.36.3
	k8s.io/apiextensions-apiserver v0.36.3
	k8s.io/apimachinery v0.36.3
	k8s.io/client-go v0.36.3
	k8s.io/kube-openapi v0.0.0-20260317180543-43fb72c5454a
	k8s.io/utils v0.0.0-20260210185600-b8788abfbbc2
	sigs.k8s.io/json v0.0.0-20250730193827-2d320260d730
	sigs.k8s.io/structured-merge-diff/v6 v6.3.3
	strata/tests/lab/tools/traefik/without v0.0.0
)

exclude github.com/mattn/go-isatty v0.0.22

exclude github.com/go-jose/go-jose/v4 v4.1.4

exclude (
	google.golang.org/grpc v1.81.1
	google.golang.org/grpc v1.82.1
)

exclude (
	google.golang.org/genproto/googleapis/rpc v0.0.0-20260414002931-afd174a4e478
	google.golang.org/genproto/googleapis/rpc v0.0.0-20260523011958-0a33c5d7ca68
	google.golang.org/genproto/googleapis/rpc v0.0.0-20260526163538-3dc84a4a5aaa
	google.golang.org/genproto/googleapis/rpc v0.0.0-20260630182238-925bb5da69e7
)

exclude go.opentelemetry.io/otel v1.44.0

exclude go.opentelemetry.io/otel/trace v1.44.0

exclude go.opentelemetry.io/otel/metric v1.44.0

exclude go.opentelemetry.io/otel/sdk v1.44.0

exclude github.com/json-iterator/go v1.1.13-0.20220915233716-71ac16282d12

exclude (
	github.com/mailru/easyjson v0.9.0
	github.com/mailru/easyjson v0.9.1
)

exclude (
	github.com/go-openapi/swag v0.23.1
	github.com/go-openapi/swag v0.26.0
)

exclude (
	github.com/go-openapi/jsonpointer v0.21.2
	github.com/go-openapi/jsonpointer v0.22.5
	github.com/go-openapi/jsonpointer v0.23.1
)

exclude (
	github.com/go-openapi/jsonreference v0.21.0
	github.com/go-openapi/jsonreference v0.21.5
)

exclude github.com/davecgh/go-spew v1.1.2-0.20180830191138-d8f796af33cc

exclude golang.org/x/oauth2 v0.36.0

exclude golang.org/x/time v0.15.0

exclude github.com/hashicorp/go-version v1.9.0

exclude go.opentelemetry.io/otel/exporters/otlp/otlplog/otlploggrpc v0.20.0

exclude go.opentelemetry.io/otel/log v0.20.0

exclude go.opentelemetry.io/otel/sdk/log v0.20.0

exclude github.com/grpc-ecosystem/grpc-gateway/v2 v2.29.0

exclude (
	google.golang.org/genproto/googleapis/api v0.0.0-20260414002931-afd174a4e478
	google.golang.org/genproto/googleapis/api v0.0.0-20260526163538-3dc84a4a5aaa
)

exclude go.opentelemetry.io/otel/exporters/otlp/otlplog/otlploghttp v0.20.0

exclude go.opentelemetry.io/otel/exporters/otlp/otlptrace v1.44.0

exclude go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc v1.44.0

exclude go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp v1.44.0

exclude github.com/pmezard/go-difflib v1.0.1-0.20181226105442-5d4384ee4fb2

exclude go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetricgrpc v1.44.0

exclude go.opentelemetry.io/otel/sdk/metric v1.44.0

exclude go.opentelemetry.io/otel/exporters/otlp/otlpmetric/otlpmetrichttp v1.44.0

exclude github.com/aws/smithy-go v1.27.3

exclude github.com/fxamacker/cbor/v2 v2.9.1

exclude github.com/google/gnostic-models v0.7.1

exclude github.com/klauspost/compress v1.18.7

exclude github.com/prometheus/procfs v0.20.1

exclude go.yaml.in/yaml/v2 v2.4.4

exclude k8s.io/kube-openapi v0.0.0-20260501160325-927ab1f70cd6

exclude k8s.io/utils v0.0.0-20260319190234-28399d86e0b5

exclude sigs.k8s.io/structured-merge-diff/v6 v6.4.0

exclude github.com/quic-go/quic-go v0.61.0
