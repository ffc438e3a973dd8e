// Package catalog says what the lab builds: which commands, images and charts at which versions,
// what each really is, and how they become the bundle and PULUMI_HOME. It holds decisions and no
// mechanism; those are in build, gobuild, imagetar, chart, bundle and pulumihome.
package catalog
