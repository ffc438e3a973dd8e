// Package adopt lets an update create objects that already exist in the stack's own cluster.
//
// A killed update leaves objects and Helm releases that the state does not contain. A killed
// destroy may have removed objects from the state while their cluster still runs. Every later
// update would fail with "already exists". So before each create, this package looks the object up.
// It adopts an object that the same program made, and refuses one of another program
// (docs/adr/0023). It deletes no object, and so no data. Of a Helm release it deletes only the
// record; Helm then adopts the existing objects.
package adopt
