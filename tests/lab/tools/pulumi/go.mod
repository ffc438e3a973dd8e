module strata/tests/lab/tools/pulumi

go 1.26.0

// What the lab has no use for and that takes most of the time to compile: see "What is left out" in tests/lab/README.md.
replace strata/tests/lab/tools/pulumi/without => ./without

require (
	cloud.google.com/go/auth v0.20.0
	github.com/Azure/azure-sdk-for-go/sdk/azcore v1.21.1
	github.com/Azure/azure-sdk-for-go/sdk/internal v1.12.0
	github.com/charmbracelet/x/ansi v0.11.6
	github.com/djherbis/times v1.6.0
	github.com/dlclark/regexp2 v1.11.5
	github.com/go-jose/go-jose/v4 v4.1.3
	github.com/gofrs/uuid v4.4.0+incompatible
	github.com/google/go-querystring v1.2.0
	github.com/googleapis/enterprise-certificate-proxy v0.3.15
	github.com/googleapis/gax-go/v2 v2.22.0
	github.com/grpc-ecosystem/grpc-gateway/v2 v2.28.0
	github.com/hashicorp/go-version v1.8.0
	github.com/hashicorp/hcl/v2 v2.22.0
	github.com/jonboulle/clockwork v0.5.0
	github.com/klauspost/compress v1.18.5
	github.com/lucasb-eyer/go-colorful v1.3.0
	github.com/mattn/go-isatty v0.0.20
	github.com/mattn/go-runewidth v0.0.21
	github.com/moby/term v0.5.2
	github.com/pmezard/go-difflib v1.0.0
	github.com/pulumi/esc v0.24.0
	github.com/pulumi/pulumi/pkg/v3 v3.250.0
	github.com/zclconf/go-cty v1.13.2
	go.opentelemetry.io/collector/featuregate v1.53.0
	go.opentelemetry.io/collector/pdata v1.53.0
	go.opentelemetry.io/contrib/bridges/otelslog v0.18.0
	go.opentelemetry.io/otel v1.43.0
	go.opentelemetry.io/otel/exporters/otlp/otlplog/otlploggrpc v0.19.0
	go.opentelemetry.io/otel/exporters/otlp/otlptrace v1.42.0
	go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc v1.42.0
	go.opentelemetry.io/otel/log v0.19.0
	go.opentelemetry.io/otel/metric v1.43.0
	go.opentelemetry.io/otel/sdk v1.43.0
	go.opentelemetry.io/otel/sdk/log v0.19.0
	go.opentelemetry.io/otel/sdk/metric v1.43.0
	go.opentelemetry.io/otel/trace v1.43.0
	go.yaml.in/yaml/v3 v3.0.5
	golang.org/x/crypto v0.58.0
	golang.org/x/net v0.60.0
	golang.org/x/oauth2 v0.35.0
	golang.org/x/sync v0.24.0
	golang.org/x/sys v0.49.0
	golang.org/x/term v0.47.0
	golang.org/x/text v0.43.0
	golang.org/x/time v0.14.0
	google.golang.org/api v0.280.0
	google.golang.org/genproto v0.0.0-20260316180232-0b37fe3546d5
	google.golang.org/genproto/googleapis/api v0.0.0-20260401024825-9d38bb4040a9
	google.golang.org/genproto/googleapis/rpc v0.0.0-20260401024825-9d38bb4040a9
	google.golang.org/grpc v1.80.0
	strata/tests/lab/tools/pulumi/without v0.0.0
)

exclude github.com/mattn/go-isatty v0.0.22

exclude github.com/pulumi/esc v0.25.0

exclude go.opentelemetry.io/otel v1.44.0

exclude go.opentelemetry.io/otel/trace v1.44.0

exclude go.opentelemetry.io/otel/metric v1.44.0

exclude go.opentelemetry.io/otel/log v0.20.0

exclude go.opentelemetry.io/contrib/bridges/otelslog v0.19.0

exclude go.opentelemetry.io/otel/exporters/otlp/otlplog/otlploggrpc v0.20.0

exclude (
	google.golang.org/grpc v1.81.1
	google.golang.org/grpc v1.82.0
)

exclude (
	google.golang.org/genproto/googleapis/rpc v0.0.0-20260414002931-afd174a4e478
	google.golang.org/genproto/googleapis/rpc v0.0.0-20260511170946-3700d4141b60
	google.golang.org/genproto/googleapis/rpc v0.0.0-20260522204824-7f3bc5b78da9
	google.golang.org/genproto/googleapis/rpc v0.0.0-20260526163538-3dc84a4a5aaa
	google.golang.org/genproto/googleapis/rpc v0.0.0-20260622175928-b703f567277d
	google.golang.org/genproto/googleapis/rpc v0.0.0-20260630182238-925bb5da69e7
)

exclude go.opentelemetry.io/otel/sdk v1.44.0

exclude go.opentelemetry.io/otel/sdk/log v0.20.0

exclude github.com/grpc-ecosystem/grpc-gateway/v2 v2.29.0

exclude (
	google.golang.org/genproto/googleapis/api v0.0.0-20260414002931-afd174a4e478
	google.golang.org/genproto/googleapis/api v0.0.0-20260522204824-7f3bc5b78da9
	google.golang.org/genproto/googleapis/api v0.0.0-20260526163538-3dc84a4a5aaa
	google.golang.org/genproto/googleapis/api v0.0.0-20260630182238-925bb5da69e7
)

exclude github.com/zclconf/go-cty v1.16.3

exclude github.com/hashicorp/hcl/v2 v2.24.0

exclude github.com/charmbracelet/x/ansi v0.11.7

exclude github.com/lucasb-eyer/go-colorful v1.4.0

exclude (
	github.com/mattn/go-runewidth v0.0.23
	github.com/mattn/go-runewidth v0.0.24
)

exclude (
	go.opentelemetry.io/collector/pdata v1.58.0
	go.opentelemetry.io/collector/pdata v1.61.0
)

exclude github.com/hashicorp/go-version v1.9.0

exclude (
	go.opentelemetry.io/collector/featuregate v1.58.0
	go.opentelemetry.io/collector/featuregate v1.61.0
)

exclude (
	go.opentelemetry.io/otel/exporters/otlp/otlptrace v1.43.0
	go.opentelemetry.io/otel/exporters/otlp/otlptrace v1.44.0
)

exclude (
	go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc v1.43.0
	go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc v1.44.0
)

exclude google.golang.org/genproto v0.0.0-20260319201613-d00831a3d3e7

exclude golang.org/x/oauth2 v0.36.0

exclude golang.org/x/time v0.15.0

exclude go.opentelemetry.io/otel/sdk/metric v1.44.0

exclude github.com/go-jose/go-jose/v4 v4.1.4

exclude github.com/pmezard/go-difflib v1.0.1-0.20181226105442-5d4384ee4fb2
