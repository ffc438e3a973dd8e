#!/bin/sh
# In the place of Go, where there is none: Pulumi's language host asks for its version before it looks whether the program is compiled
# already, and takes whatever else fails for a program without modules (pulumi/pulumi sdk/go/pulumi-language-go, GetRequiredPackages).
case ${1:-} in
	version) echo "go version VERSION linux/ARCH" ;;
	*)
		echo "go $*: this machine has no Go, and the program of this bundle needs none" >&2
		exit 1
		;;
esac
