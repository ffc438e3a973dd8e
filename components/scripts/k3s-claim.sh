# Marks this host as its cluster's before anything of it is changed; safe to run again, and refuses a host that is somebody else's.
#
# Variables: those of internal/k3shost's owner.sh, which has the functions.
claim
