package parts

// Constants are the pins that the lab knows.
var Constants = constants
