// Package originals reads a folder of upstream artifacts, or of builds of their repositories, by
// the names of its files. Package catalog knows the users and the meaning of each.
//
//	k3s-v1.36.3+k3s1                              ARTIFACT-VERSION, with its usual ending
//	metallb-chart-0.16.2.tgz
//	metallb-chart-images-v0.16.2.tar              images that a chart asks for: CHART-images-LABEL
//	k3s-images-v1.36.3+k3s1.tar.zst               images that every cluster gets
//	pulumi-resource-command-v1.2.1                a plugin of Pulumi, executable
//	images.txt                                    references, one a line, that images of the lab's own get in place of theirs
//
// tests/lab/originals.md says how to get them.
package originals
