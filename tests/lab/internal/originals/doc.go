// Package originals reads a folder of what the projects publish, or of what was built from their
// repositories, by the names of its files. It knows neither who takes them nor what they stand for:
// package catalog does.
//
//	k3s-v1.36.3+k3s1                              ARTIFACT-VERSION, with its usual ending
//	metallb-chart-0.16.2.tgz
//	metallb-chart-images-v0.16.2.tar              images that a chart asks for: CHART-images-LABEL
//	k3s-images-v1.36.3+k3s1.tar.zst               images that every cluster gets
//	pulumi-resource-command-v1.2.1                a plugin of Pulumi, executable
//	images.txt                                    references, one a line, that images of the lab's own get in place of theirs
//
// docs/originals.md says how to get them.
package originals
