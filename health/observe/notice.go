package observe

// StartupSeconds is the number of seconds for which an API fault must last until it is Stuck. While
// K3s starts, an earlier process may still use the port, or certificates may be about to be
// replaced.
const StartupSeconds = 10

// NoticeSeconds is the number of seconds for which a fact about a Node must be wrong until it is
// Stuck. The kubelet and K3s's controllers write addresses and labels some seconds after a Node has
// registered.
const NoticeSeconds = 20
