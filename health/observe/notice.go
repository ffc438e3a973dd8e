package observe

// StartupSeconds is how long an answer that waiting cannot change must stand before it is believed: while K3s starts, an earlier process
// may still hold the port, or certificates may be about to be replaced.
const StartupSeconds = 10

// NoticeSeconds is how long a wrong fact about a Node must stand before waiting is given up: the kubelet and K3s's
// controllers write addresses and labels some seconds after a Node has registered.
const NoticeSeconds = 20
