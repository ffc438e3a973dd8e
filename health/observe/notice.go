package observe

// StartupSeconds must pass before a permanent fault is believed. While K3s starts, an earlier
// process may still hold the port, or certificates may be about to be replaced.
const StartupSeconds = 10

// NoticeSeconds must pass with a wrong fact about a Node before a gate gives up. The kubelet and
// K3s's controllers write addresses and labels some seconds after a Node has registered.
const NoticeSeconds = 20
