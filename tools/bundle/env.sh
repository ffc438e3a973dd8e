#!/bin/sh
# eval "$(DIR/env)": Pulumi, its plugins and the bundle of this folder, for this shell. It asks no network.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
cat <<END
export PATH='$here/pulumi/bin:$here/project/.strata/bin':"\$PATH":'$here/pulumi/without-go'
export PULUMI_HOME='$here/pulumi'
export PULUMI_SKIP_UPDATE_CHECK=true
export PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION=true
export PULUMI_IGNORE_AMBIENT_PLUGINS=true
export STRATA_ARTIFACTS='$here'
export STRATA_MACHINE_IMAGE='$here'
END
