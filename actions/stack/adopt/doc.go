// Package adopt lets an update create objects that its own cluster has already.
//
// A killed update leaves objects and Helm releases that the state does not have. A killed destroy
// leaves a living cluster whose objects have left the state. Every later update would end with
// "already exists". Before each create this package reads whether the object exists. An object that
// the same program made is adopted, and an object of another program is refused (docs/adr/0023). It
// deletes no object, and so no namespace and no data. Of a Helm release it deletes only the record;
// Helm then installs over the existing objects.
package adopt
