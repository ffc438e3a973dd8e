// Package originals reads a folder of upstream artifacts ($ORIGINALS), or of builds of upstream
// sources. File names identify the artifacts. Package catalog decides which parts of the lab they
// replace.
//
//	k3s-v1.36.3+k3s1                   ARTIFACT-VERSION, with the usual extension
//	metallb-chart-0.16.2.tgz
//	metallb-chart-images-v0.16.2.tar   images that a chart uses: CHART-images-LABEL
//	k3s-images-v1.36.3+k3s1.tar.zst    images that every cluster needs
//	pulumi-resource-command-v1.2.1     a Pulumi plugin, executable
//	images.txt                         image references, one per line; the lab's image of
//	                                   the same repository gets the reference
//
// tests/lab/originals.md says how to get the files.
package originals
