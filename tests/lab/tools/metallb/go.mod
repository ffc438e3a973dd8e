module strata/tests/lab/tools/metallb

go 1.26.0

require (
	cel.dev/expr v0.24.0
	github.com/armon/go-metrics v0.4.1
	github.com/davecgh/go-spew v1.1.1
	github.com/fsnotify/fsnotify v1.10.1
	github.com/go-openapi/jsonpointer v0.21.0
	github.com/go-openapi/jsonreference v0.20.2
	github.com/go-openapi/swag v0.23.0
	github.com/grpc-ecosystem/grpc-gateway/v2 v2.28.0
	github.com/hashicorp/errwrap v1.1.0
	github.com/hashicorp/go-multierror v1.1.1
	github.com/hashicorp/go-sockaddr v1.0.7
	github.com/hashicorp/golang-lru v1.0.2
	github.com/mailru/easyjson v0.7.7
	github.com/metallb/frr-k8s v0.0.25
	github.com/miekg/dns v1.1.72
	github.com/pmezard/go-difflib v1.0.0
	github.com/prometheus/client_golang v1.23.2
	github.com/prometheus/common v0.67.5
	github.com/spf13/cobra v1.10.2
	github.com/spf13/pflag v1.0.10
	go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp v0.67.0
	go.opentelemetry.io/otel v1.43.0
	go.opentelemetry.io/otel/exporters/otlp/otlptrace v1.42.0
	go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc v1.42.0
	go.opentelemetry.io/otel/metric v1.43.0
	go.opentelemetry.io/otel/sdk v1.43.0
	go.opentelemetry.io/otel/trace v1.43.0
	go.opentelemetry.io/proto/otlp v1.10.0
	go.uber.org/zap v1.28.0
	go.universe.tf/metallb v0.16.2
	go.yaml.in/yaml/v3 v3.0.5
	golang.org/x/exp v0.0.0-20260410095643-746e56fc9e2f
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
	google.golang.org/protobuf v1.36.12-0.20260120151049-f2248ac996af
	k8s.io/api v0.36.3
	k8s.io/apiextensions-apiserver v0.36.3
	k8s.io/apimachinery v0.36.3
	k8s.io/apiserver v0.36.3
	k8s.io/client-go v0.36.3
	k8s.io/component-base v0.36.3
	sigs.k8s.io/controller-runtime v0.24.1
)

exclude github.com/davecgh/go-spew v1.1.2-0.20180830191138-d8f796af33cc

exclude github.com/mailru/easyjson v0.9.0

exclude (
	github.com/go-openapi/swag v0.23.1
	github.com/go-openapi/swag v0.27.1
)

exclude (
	github.com/go-openapi/jsonpointer v0.21.1
	github.com/go-openapi/jsonpointer v1.0.0
)

exclude (
	github.com/go-openapi/jsonreference v0.21.0
	github.com/go-openapi/jsonreference v1.0.0
)

exclude github.com/pmezard/go-difflib v1.0.1-0.20181226105442-5d4384ee4fb2

exclude (
	cel.dev/expr v0.25.1
	cel.dev/expr v0.25.2
)

exclude github.com/antlr4-go/antlr/v4 v4.13.1

exclude github.com/felixge/httpsnoop v1.1.0

exclude github.com/fxamacker/cbor/v2 v2.9.1

exclude github.com/go-logr/logr v1.4.4

exclude github.com/google/cel-go v0.29.2

exclude github.com/grpc-ecosystem/grpc-gateway/v2 v2.29.0

// No proxy serves the sources of this version (withoutPrepending in internal/catalog).
exclude github.com/metallb/frr-k8s v0.0.27

exclude (
	github.com/prometheus/client_golang v1.24.0
	github.com/prometheus/client_golang v1.24.1
)

exclude (
	github.com/prometheus/common v0.70.0
	github.com/prometheus/common v0.70.1
)

exclude (
	github.com/prometheus/procfs v0.21.0
	github.com/prometheus/procfs v0.21.1
)

exclude go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp v0.69.0

exclude (
	go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc v1.44.0
	go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc v1.45.0
)

exclude (
	go.opentelemetry.io/otel/exporters/otlp/otlptrace v1.44.0
	go.opentelemetry.io/otel/exporters/otlp/otlptrace v1.45.0
)

exclude (
	go.opentelemetry.io/otel/metric v1.44.0
	go.opentelemetry.io/otel/metric v1.45.0
)

exclude (
	go.opentelemetry.io/otel/sdk v1.44.0
	go.opentelemetry.io/otel/sdk v1.45.0
)

exclude (
	go.opentelemetry.io/otel/trace v1.44.0
	go.opentelemetry.io/otel/trace v1.45.0
)

exclude (
	go.opentelemetry.io/otel v1.44.0
	go.opentelemetry.io/otel v1.45.0
)

exclude go.opentelemetry.io/proto/otlp v1.11.0

exclude go.yaml.in/yaml/v2 v2.4.4

exclude golang.org/x/oauth2 v0.36.0

exclude golang.org/x/time v0.15.0

exclude (
	google.golang.org/genproto/googleapis/api v0.0.0-20260414002931-afd174a4e478
	google.golang.org/genproto/googleapis/api v0.0.0-20260526163538-3dc84a4a5aaa
	google.golang.org/genproto/googleapis/api v0.0.0-20260706201446-f0a921348800
	google.golang.org/genproto/googleapis/api v0.0.0-20260720211330-0afa2a65878a
	google.golang.org/genproto/googleapis/api v0.0.0-20260803160001-6ac0973c030d
)

exclude (
	google.golang.org/genproto/googleapis/rpc v0.0.0-20260414002931-afd174a4e478
	google.golang.org/genproto/googleapis/rpc v0.0.0-20260526163538-3dc84a4a5aaa
	google.golang.org/genproto/googleapis/rpc v0.0.0-20260706201446-f0a921348800
	google.golang.org/genproto/googleapis/rpc v0.0.0-20260720211330-0afa2a65878a
	google.golang.org/genproto/googleapis/rpc v0.0.0-20260729162451-8efbd57d26e0
	google.golang.org/genproto/googleapis/rpc v0.0.0-20260803160001-6ac0973c030d
)

exclude (
	google.golang.org/grpc v1.82.1
	google.golang.org/grpc v1.83.0
	google.golang.org/grpc v1.84.0
)

exclude google.golang.org/protobuf v1.36.12

exclude (
	k8s.io/api v0.37.0
	k8s.io/api v0.37.1
)

exclude (
	k8s.io/apiextensions-apiserver v0.37.0
	k8s.io/apiextensions-apiserver v0.37.1
)

exclude (
	k8s.io/apimachinery v0.37.0
	k8s.io/apimachinery v0.37.1
)

exclude (
	k8s.io/apiserver v0.37.0
	k8s.io/apiserver v0.37.1
)

exclude (
	k8s.io/client-go v0.37.0
	k8s.io/client-go v0.37.1
)

exclude (
	k8s.io/component-base v0.37.0
	k8s.io/component-base v0.37.1
)

exclude k8s.io/kube-openapi v0.0.0-20260721132016-d427ff9ee9ad

exclude (
	k8s.io/streaming v0.37.0
	k8s.io/streaming v0.37.1
)

exclude (
	k8s.io/utils v0.0.0-20260626114624-be93311217bd
	k8s.io/utils v0.0.0-20260707023825-cf1189d6abe3
)

exclude sigs.k8s.io/apiserver-network-proxy/konnectivity-client v0.36.0

exclude sigs.k8s.io/controller-runtime v0.25.1

exclude sigs.k8s.io/structured-merge-diff/v6 v6.4.2
